# SPDX-License-Identifier: Apache-2.0
# TESSERA_KERNELS: whether the library generates code, which is code of x86-64. Without it plain C++ (src/cpu/portable)
# runs everything, and what writes or shows machine code is left out of the build, with its headers: Xbyak, Zydis.
include(CheckCXXSourceCompiles)
check_cxx_source_compiles("#if !defined(__x86_64__) || !defined(__LP64__)\n#error another\n#endif\nint main() {}"
                          TESSERA_X86_64)
option(TESSERA_KERNELS "Generate code" ${TESSERA_X86_64})
if(TESSERA_KERNELS AND NOT TESSERA_X86_64)
  message(FATAL_ERROR "TESSERA_KERNELS=ON: generated code is of x86-64, and ${CMAKE_CXX_COMPILER} compiles for another "
                      "processor")
endif()

# ONEDNN_GPU_RUNTIME: OCL where the headers of OpenCL are found (Debian: opencl-c-headers), else NONE. The build needs the
# headers alone: libOpenCL.so.1 is loaded when a GPU engine is first asked for.
include(CheckIncludeFileCXX)
check_include_file_cxx(CL/cl.h TESSERA_OPENCL_HEADERS)
if(DNNL_GPU_RUNTIME STREQUAL DEFAULT)
  set(DNNL_GPU_RUNTIME NONE)
  if(TESSERA_OPENCL_HEADERS)
    set(DNNL_GPU_RUNTIME OCL)
  endif()
elseif(DNNL_GPU_RUNTIME STREQUAL OCL AND NOT TESSERA_OPENCL_HEADERS)
  message(FATAL_ERROR "ONEDNN_GPU_RUNTIME=OCL: CL/cl.h is not found; Debian has it in opencl-c-headers")
endif()
set(TESSERA_OPENCL OFF)
if(DNNL_GPU_RUNTIME STREQUAL OCL OR (DNNL_WITH_SYCL AND TESSERA_OPENCL_HEADERS))
  set(TESSERA_OPENCL ON)
endif()

# DNNL_WITH_SYCL: engines of SYCL devices, in the library itself, which then needs libsycl.so. The headers are compiled by
# any compiler: there is no device code here. TESSERA_SYCL_ROOT: the folder that has include/ and lib/ of a SYCL run time,
# such as an environment of Python's with the package intel-sycl-rt.
if(DNNL_WITH_SYCL)
  set(TESSERA_SYCL_ROOT "" CACHE PATH "Where include/sycl/sycl.hpp and lib/libsycl.so are")
  find_path(TESSERA_SYCL_INCLUDE sycl/sycl.hpp HINTS ${TESSERA_SYCL_ROOT} PATH_SUFFIXES include)
  find_library(TESSERA_SYCL_LIBRARY sycl HINTS ${TESSERA_SYCL_ROOT} PATH_SUFFIXES lib)
  if(NOT TESSERA_SYCL_INCLUDE OR NOT TESSERA_SYCL_LIBRARY)
    message(FATAL_ERROR "DNNL_WITH_SYCL=ON: sycl/sycl.hpp or libsycl.so is not found; TESSERA_SYCL_ROOT names the folder above "
                        "their include and lib (`make sycl` installs them from PyPI's intel-sycl-rt)")
  endif()
  add_library(tessera_sycl INTERFACE)
  target_include_directories(tessera_sycl SYSTEM INTERFACE ${TESSERA_SYCL_INCLUDE})
  target_link_libraries(tessera_sycl INTERFACE ${TESSERA_SYCL_LIBRARY})
endif()

# The files of src that a build with or without kernels leaves out; tools/checks/includes.py holds that the others do
# not need them.
function(tessera_leave_out name)
  set(kept ${${name}})
  if(TESSERA_KERNELS)
    list(FILTER kept EXCLUDE REGEX "/cpu/select/without_kernels[.]cpp$")
  else()
    list(FILTER kept EXCLUDE REGEX "/cpu/((executor|jit|products|tiles)/|select/(steps/|(with_kernels|select|selection|growing|tiles)[.]cpp$))")
  endif()
  if(NOT TESSERA_OPENCL)
    list(FILTER kept EXCLUDE REGEX "/src/(gpu/|api/interop/opencl[.]cpp$)")
  endif()
  if(NOT DNNL_WITH_SYCL)
    list(FILTER kept EXCLUDE REGEX "/src/(on_sycl/|api/interop/sycl[.]cpp$)")
  endif()
  set(${name} ${kept} PARENT_SCOPE)
endfunction()
