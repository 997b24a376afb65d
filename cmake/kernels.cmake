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

# TESSERA_OPENCL: whether the library has engines of OpenCL devices. It needs the headers alone (Debian:
# opencl-c-headers): libOpenCL.so.1 is loaded when a GPU engine is first asked for.
include(CheckIncludeFileCXX)
check_include_file_cxx(CL/cl.h TESSERA_OPENCL_HEADERS)
option(TESSERA_OPENCL "Engines of OpenCL devices" ${TESSERA_OPENCL_HEADERS})

# The files of src that a build with or without kernels leaves out; tools/checks/includes.py holds that the others do
# not need them.
function(tessera_leave_out name)
  set(kept ${${name}})
  if(TESSERA_KERNELS)
    list(FILTER kept EXCLUDE REGEX "/cpu/select/without_kernels[.]cpp$")
  else()
    list(FILTER kept EXCLUDE REGEX "/cpu/((executor|jit|tiles)/|select/(with_kernels|portable_reason|select|tiles)[.]cpp$)")
  endif()
  if(NOT TESSERA_OPENCL)
    list(FILTER kept EXCLUDE REGEX "/src/gpu/")
  endif()
  set(${name} ${kept} PARENT_SCOPE)
endfunction()
