# SPDX-License-Identifier: Apache-2.0
# What the build needs of others, looked for in one place, each with the version that it needs at least. All that is missing
# is told at once: what it is for, its Debian package, and the option that does without.
#
# The shared library carries fmt, tl-expected and Xbyak inside of it; programs that link it need none of them.
set(tessera_missing "")
set(tessera_debian_packages "")

# tessera_needs(NAME VERSION 9 DEBIAN libfmt-dev FOR "texts" [WITHOUT "-DOPTION=OFF"] [COMPONENTS ...] [VERSION_IS value])
#
# VERSION_IS: for packages without a version in CMake, what was found (as a header says it). Sets NAME_FOUND. Targets become
# global, so that a program that adds this folder can link them.
macro(tessera_needs name)
  cmake_parse_arguments(needs "" "VERSION;DEBIAN;FOR;WITHOUT;VERSION_IS" "COMPONENTS" ${ARGN})
  if(NOT DEFINED needs_VERSION_IS)
    if(needs_COMPONENTS)
      find_package(${name} QUIET COMPONENTS ${needs_COMPONENTS})
    else()
      find_package(${name} QUIET)
    endif()
    set(needs_VERSION_IS "${${name}_VERSION}")
  endif()
  set(needs_problem "")
  if(NOT ${name}_FOUND)
    set(needs_problem "not found")
  elseif(needs_VERSION AND needs_VERSION_IS AND needs_VERSION_IS VERSION_LESS needs_VERSION)
    set(needs_problem "version ${needs_VERSION_IS} is older")
    set(${name}_FOUND FALSE)
  endif()
  if(needs_problem)
    string(STRIP "${name} ${needs_VERSION}" needs_wanted)
    string(APPEND tessera_missing "\n  ${needs_wanted} or later, ${needs_problem}: ${needs_FOR}. Debian: ${needs_DEBIAN}")
    list(APPEND tessera_debian_packages ${needs_DEBIAN})
    if(needs_WITHOUT)
      string(APPEND tessera_missing "; without it: ${needs_WITHOUT}")
    endif()
  endif()
endmacro()

# The targets that are there, for the folder that adds this one.
function(tessera_global)
  foreach(target ${ARGN})
    if(TARGET ${target})
      get_target_property(global ${target} IMPORTED_GLOBAL)
      if(NOT global)
        set_target_properties(${target} PROPERTIES IMPORTED_GLOBAL TRUE)
      endif()
    endif()
  endforeach()
endfunction()

# VERSION of a header that has `pattern` with the number in parentheses.
function(tessera_version_in header pattern result)
  file(STRINGS ${header} line REGEX "${pattern}" LIMIT_COUNT 1)
  string(REGEX MATCH "${pattern}" line "${line}")
  set(${result} "${CMAKE_MATCH_1}" PARENT_SCOPE)
endfunction()

# ---- the library

tessera_needs(fmt VERSION 8.1 DEBIAN libfmt-dev FOR "texts of refusals and of verbose lines")
tessera_needs(tl-expected DEBIAN libexpected-dev FOR "results that are a value or a reason")
tessera_needs(Threads DEBIAN libc6-dev FOR "threads")
tessera_global(Threads::Threads)
if(TESSERA_KERNELS)
  # Its VERSION is 0xABCD, A.BC. 6.02 is the oldest that was tried.
  find_path(TESSERA_XBYAK_INCLUDE xbyak/xbyak.h)
  set(xbyak_FOUND FALSE)
  set(xbyak "")
  if(TESSERA_XBYAK_INCLUDE)
    set(xbyak_FOUND TRUE)
    tessera_version_in(${TESSERA_XBYAK_INCLUDE}/xbyak/xbyak.h "VERSION = 0x([0-9A-Fa-f]+)" xbyak)
    string(REGEX REPLACE "^(.)(..).*" "\\1.\\2" xbyak "${xbyak}")
  endif()
  tessera_needs(xbyak VERSION 6.02 VERSION_IS "${xbyak}" DEBIAN libxbyak-dev FOR "generated code"
                WITHOUT "-DTESSERA_KERNELS=OFF (plain C++ runs everything, several times slower), or \
-DTESSERA_XBYAK_INCLUDE=FOLDER with the headers of a newer one")
endif()

# Whose threads do the work; the tests build the other run times as well, where there are packages for them.
set(TESSERA_PACKAGE_OMP OpenMP)
set(TESSERA_PACKAGE_TBB TBB)
set(TESSERA_LINKS_OMP OpenMP::OpenMP_CXX)
set(TESSERA_LINKS_TBB TBB::tbb)
if(DNNL_CPU_RUNTIME STREQUAL OMP)
  set(debian libgomp1)
  if(CMAKE_CXX_COMPILER_ID MATCHES Clang)
    set(debian libomp-dev)
  endif()
  tessera_needs(OpenMP COMPONENTS CXX DEBIAN ${debian} FOR "OpenMP of ${CMAKE_CXX_COMPILER} (ONEDNN_CPU_RUNTIME=OMP)"
                WITHOUT "-DONEDNN_CPU_RUNTIME=TBB, SEQ or THREADPOOL")
elseif(DNNL_CPU_RUNTIME STREQUAL TBB)
  tessera_needs(TBB VERSION 2021 COMPONENTS tbb DEBIAN libtbb-dev FOR "threads of oneTBB (ONEDNN_CPU_RUNTIME=TBB)"
                WITHOUT "-DONEDNN_CPU_RUNTIME=OMP, SEQ or THREADPOOL")
endif()
if(DNNL_BUILD_TESTS)
  find_package(OpenMP QUIET COMPONENTS CXX)
  find_package(TBB QUIET COMPONENTS tbb)
endif()
tessera_global(OpenMP::OpenMP_CXX TBB::tbb)

# ---- the program, the benchmarks, the tests

if(TESSERA_PROGRAM OR TESSERA_BENCH OR DNNL_BUILD_TESTS OR DNNL_BUILD_EXAMPLES)
  tessera_needs(CLI11 VERSION 2.1 DEBIAN libcli11-dev FOR "the command line of the program, examples and benchmarks"
                WITHOUT "-DTESSERA_PROGRAM=OFF -DTESSERA_BENCH=OFF -DONEDNN_BUILD_TESTS=OFF -DONEDNN_BUILD_EXAMPLES=OFF")
endif()
# Tests that nobody asked for are left out where they miss something.
set(tessera_missing_elsewhere "${tessera_missing}")
if(DNNL_BUILD_TESTS)
  set(without "-DONEDNN_BUILD_TESTS=OFF")
  tessera_needs(GTest VERSION 1.11 DEBIAN libgtest-dev FOR "the tests" WITHOUT "${without}")
  tessera_needs(Python3 VERSION 3.11 COMPONENTS Interpreter DEBIAN python3 FOR "the tests" WITHOUT "${without}")
  if(TESSERA_KERNELS)
    tessera_needs(zydis VERSION 4 DEBIAN "libzydis-dev libzycore-dev" FOR "the tests, which read machine code" WITHOUT "${without}")
  endif()
  if(NOT tessera_tests_asked AND NOT tessera_missing STREQUAL tessera_missing_elsewhere)
    list(JOIN tessera_debian_packages " " packages)
    message(STATUS "No tests: packages are missing (Debian: ${packages}); ONEDNN_BUILD_TESTS=ON tells more")
    set(DNNL_BUILD_TESTS OFF)
    set(tessera_missing "${tessera_missing_elsewhere}")
  endif()
endif()

# The program shows machine code where there is a disassembler.
set(TESSERA_DISASSEMBLER OFF)
if(TESSERA_KERNELS AND (TESSERA_PROGRAM OR DNNL_BUILD_TESTS))
  find_package(zydis QUIET)
  if(zydis_FOUND AND zydis_VERSION VERSION_GREATER_EQUAL 4)
    set(TESSERA_DISASSEMBLER ON)
  else()
    message(STATUS "No disassembler: Zydis 4 or later is not found (Debian: libzydis-dev libzycore-dev); `tessera explain "
                   "--code` shows the code before it becomes instructions")
  endif()
endif()

if(tessera_missing)
  list(REMOVE_DUPLICATES tessera_debian_packages)
  list(JOIN tessera_debian_packages " " tessera_debian_packages)
  message(FATAL_ERROR "The build needs what is not here:${tessera_missing}\nOn Debian and Ubuntu, as root:\n  apt-get install "
                      "${tessera_debian_packages}\nElsewhere: packages of these names, or -DCMAKE_PREFIX_PATH=FOLDER with them.")
endif()
