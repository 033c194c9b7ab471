// SPDX-License-Identifier: GPL-3.0-or-later
// Arrays of particles that Python reads without a copy.
#pragma once

#include <memory>
#include <vector>

#include "host/base/particle_memory.hpp"

namespace multiwalk {

/// Memory that readers hold: its owner's or, once the owner has moved on, their own.
class LentMemory {
 public:
  virtual ~LentMemory() = default;
  [[nodiscard]] virtual bool is_of(const void* data) const = 0;
  /// Leaves the memory to the readers; the owner's array continues elsewhere with the same contents.
  virtual void leave() = 0;
};

class LentArrays {
 public:
  /// While the result lives, the elements that `array` has now stay readable where they are, if leave() is called
  /// before the array changes.
  template <class T>
  std::shared_ptr<LentMemory> lend(ParticleArray<T>& array) {
    for (const std::weak_ptr<LentMemory>& weak : lent_) {
      if (auto lent = weak.lock(); lent && lent->is_of(array.data())) return lent;
    }
    auto lent = std::make_shared<Lent<T>>(array);
    lent_.emplace_back(lent);
    return lent;
  }
  /// Call before the arrays change or are freed. Arrays that nobody reads any longer are not touched.
  void leave() {
    for (const std::weak_ptr<LentMemory>& weak : lent_) {
      if (const auto lent = weak.lock()) lent->leave();
    }
    lent_.clear();
  }

 private:
  template <class T>
  class Lent final : public LentMemory {
   public:
    explicit Lent(ParticleArray<T>& array) : array_(array), data_(array.data()) {}
    [[nodiscard]] bool is_of(const void* data) const override { return data == data_; }
    void leave() override {
      ParticleArray<T> copy = array_;
      own_.swap(array_);
      array_.swap(copy);
    }

   private:
    ParticleArray<T>& array_;
    const T* data_;
    ParticleArray<T> own_;
  };

  std::vector<std::weak_ptr<LentMemory>> lent_;
};

}  // namespace multiwalk
