! SPDX-License-Identifier: GPL-3.0-or-later
! Bodies at random in a sphere: the pulls on all of them add up to nothing, and their potential energy is that of a
! homogeneous sphere, -3/5.
program direct_energy
  use multiwalk_direct
  implicit none
  integer(c_int), parameter :: n = 2000
  real(c_double) :: x(3, n), m(n), a(3, n), p(n), energy, pull
  type(c_ptr) :: handle
  integer :: i, seeds
  integer, allocatable :: seed(:)

  call random_seed(size=seeds)
  allocate (seed(seeds))
  seed = [(17 * i, i = 1, seeds)]
  call random_seed(put=seed)
  do i = 1, n
    do
      call random_number(x(:, i))
      x(:, i) = 2 * x(:, i) - 1
      if (sum(x(:, i)**2) <= 1) exit
    end do
  end do
  m = 1d0 / n

  call check(multiwalk_direct_force(x, m, x, 0d0, a, n, n))
  pull = maxval(abs(matmul(a, m)))

  handle = multiwalk_direct_create()
  call check(multiwalk_direct_set(handle, "accumulation", "compensated"))
  call check(multiwalk_direct_sum(handle, x, mj=m, xi=x, eps2=0d0, p=p, ni=n, nj=n))
  print '(a)', multiwalk_direct_description(handle)
  call multiwalk_direct_destroy(handle)
  energy = 0.5d0 * dot_product(m, p)
  print '(a, f9.6, a, es8.1)', 'potential energy ', energy, ', sum of all pulls', pull
  if (abs(energy + 0.6d0) > 0.02d0 .or. pull > 1d-6) stop 1

contains

  subroutine check(status)
    integer(c_int), intent(in) :: status
    if (status == multiwalk_direct_ok) return
    print '(a)', multiwalk_direct_message()
    stop 1
  end subroutine
end program
