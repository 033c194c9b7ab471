! SPDX-License-Identifier: GPL-3.0-or-later
! Gravity by direct summation from Fortran: the functions of multiwalk_direct.h, which says what each does. Arrays are
! x(3, n), in double precision. Compile this file with the program's own compiler and link with -lmultiwalk_direct.
module multiwalk_direct
  use, intrinsic :: iso_c_binding, only: c_int, c_double, c_char, c_ptr, c_size_t, c_null_ptr, c_null_char, c_f_pointer
  implicit none
  private
  public :: multiwalk_direct_force, multiwalk_direct_force_potential, multiwalk_direct_force_jerk_potential
  public :: multiwalk_direct_sum, multiwalk_direct_create, multiwalk_direct_destroy
  public :: multiwalk_direct_set, multiwalk_direct_description, multiwalk_direct_message
  public :: c_ptr, c_null_ptr, c_int, c_double

  integer(c_int), parameter, public :: multiwalk_direct_ok = 0, multiwalk_direct_invalid = 1
  integer(c_int), parameter, public :: multiwalk_direct_unavailable = 2, multiwalk_direct_memory = 3
  integer(c_int), parameter, public :: multiwalk_direct_failed = 4

  interface
    integer(c_int) function multiwalk_direct_force(xj, mj, xi, eps2, a, ni, nj) bind(c)
      import :: c_int, c_double
      real(c_double), intent(in) :: xj(3, *), mj(*), xi(3, *)
      real(c_double), value :: eps2
      real(c_double), intent(inout) :: a(3, *)
      integer(c_int), value :: ni, nj
    end function

    integer(c_int) function multiwalk_direct_force_potential(xj, mj, xi, eps2, a, p, ni, nj) bind(c)
      import :: c_int, c_double
      real(c_double), intent(in) :: xj(3, *), mj(*), xi(3, *)
      real(c_double), value :: eps2
      real(c_double), intent(inout) :: a(3, *), p(*)
      integer(c_int), value :: ni, nj
    end function

    integer(c_int) function multiwalk_direct_force_jerk_potential(xj, vj, mj, xi, vi, eps2, a, k, p, ni, nj) bind(c)
      import :: c_int, c_double
      real(c_double), intent(in) :: xj(3, *), vj(3, *), mj(*), xi(3, *), vi(3, *)
      real(c_double), value :: eps2
      real(c_double), intent(inout) :: a(3, *), k(3, *), p(*)
      integer(c_int), value :: ni, nj
    end function

    ! Velocities and results may be left out: multiwalk_direct_sum(h, xj, mj=mj, xi=xi, eps2=e, p=p, ni=n, nj=n).
    integer(c_int) function multiwalk_direct_sum(handle, xj, vj, mj, xi, vi, eps2, a, k, p, ni, nj) bind(c)
      import :: c_int, c_double, c_ptr
      type(c_ptr), value :: handle
      real(c_double), intent(in) :: xj(3, *), mj(*), xi(3, *)
      real(c_double), intent(in), optional :: vj(3, *), vi(3, *)
      real(c_double), value :: eps2
      real(c_double), intent(inout), optional :: a(3, *), k(3, *), p(*)
      integer(c_int), value :: ni, nj
    end function

    type(c_ptr) function multiwalk_direct_create() bind(c)
      import :: c_ptr
    end function

    subroutine multiwalk_direct_destroy(handle) bind(c)
      import :: c_ptr
      type(c_ptr), value :: handle
    end subroutine

    integer(c_int) function c_set(handle, option, value) bind(c, name="multiwalk_direct_set")
      import :: c_int, c_ptr, c_char
      type(c_ptr), value :: handle
      character(kind=c_char), intent(in) :: option(*), value(*)
    end function

    type(c_ptr) function c_description(handle) bind(c, name="multiwalk_direct_description")
      import :: c_ptr
      type(c_ptr), value :: handle
    end function

    type(c_ptr) function c_message() bind(c, name="multiwalk_direct_message")
      import :: c_ptr
    end function

    integer(c_size_t) function c_length(text) bind(c, name="strlen")
      import :: c_size_t, c_ptr
      type(c_ptr), value :: text
    end function
  end interface

contains

  integer(c_int) function multiwalk_direct_set(handle, option, value)
    type(c_ptr), intent(in) :: handle
    character(*), intent(in) :: option, value
    multiwalk_direct_set = c_set(handle, trim(option) // c_null_char, trim(value) // c_null_char)
  end function

  function multiwalk_direct_description(handle) result(text)
    type(c_ptr), intent(in) :: handle
    character(:), allocatable :: text
    text = fortran_text(c_description(handle))
  end function

  function multiwalk_direct_message() result(text)
    character(:), allocatable :: text
    text = fortran_text(c_message())
  end function

  function fortran_text(from) result(text)
    type(c_ptr), intent(in) :: from
    character(:), allocatable :: text
    character(kind=c_char), pointer :: letters(:)
    integer :: i, n
    n = int(c_length(from))
    call c_f_pointer(from, letters, [n])
    allocate (character(n) :: text)
    do i = 1, n
      text(i:i) = letters(i)
    end do
  end function
end module
