# SPDX-License-Identifier: Apache-2.0
# Checks of the public C++ headers.
#
# Every header compiles alone, as C++11 to C++20, with and without exceptions; every name of the interface and of the
# previous spelling is there; what the wrappers add behaves.
set(cpp_vendor ${CMAKE_CURRENT_LIST_DIR}/vendor)
function(cpp_target name year)
  target_include_directories(${name} PRIVATE ${PROJECT_SOURCE_DIR}/include ${PROJECT_BINARY_DIR}/include
                                             ${abi_vendor} ${cpp_vendor})
  target_compile_options(${name} PRIVATE -O0 -Wall -Wextra -Wpedantic -Werror)
  set_target_properties(${name} PROPERTIES CXX_STANDARD ${year} CXX_EXTENSIONS OFF)
endfunction()

file(GLOB_RECURSE cpp_headers RELATIVE ${PROJECT_SOURCE_DIR}/include CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/include/*.hpp)
set(cpp_sources)
set(cpp_all "")
foreach(header ${cpp_headers})
  string(MAKE_C_IDENTIFIER ${header} word)
  set(source ${CMAKE_CURRENT_BINARY_DIR}/cpp_alone/${word}.cpp)
  file(CONFIGURE OUTPUT ${source} CONTENT "#include \"${header}\"\nint alone_${word};\n")
  list(APPEND cpp_sources ${source})
  string(APPEND cpp_all "#include \"${header}\"\n")
endforeach()
add_library(cpp_headers_alone OBJECT ${cpp_sources})
cpp_target(cpp_headers_alone 11)

set(cpp_all_source ${CMAKE_CURRENT_BINARY_DIR}/cpp_alone/all_headers.cpp)
file(CONFIGURE OUTPUT ${cpp_all_source} CONTENT "${cpp_all}int all_headers;\n")
foreach(year 14 17 20)
  add_library(cpp_headers_${year} OBJECT ${cpp_all_source})
  cpp_target(cpp_headers_${year} ${year})
endforeach()
foreach(variant experimental traps)
  add_library(cpp_headers_${variant} OBJECT ${cpp_all_source})
  cpp_target(cpp_headers_${variant} 11)
endforeach()
target_compile_definitions(cpp_headers_experimental PRIVATE DNNL_EXPERIMENTAL_PROFILING DNNL_EXPERIMENTAL_UKERNEL
                                                            DNNL_EXPERIMENTAL_GROUPED_MEMORY=1 DNNL_WITH_SYCL)
target_compile_options(cpp_headers_traps PRIVATE -fno-exceptions)

foreach(part surface v2_spelling surface_templates)
  set(name cpp_${part})
  add_executable(${name} cpp/${part}_test.cpp)
  cpp_target(${name} 17)
  add_test(NAME ${name} COMMAND ${name})
endforeach()
foreach(part behaviour v2_problems eltwise)
  set(name cpp_${part})
  add_executable(${name} cpp/${part}_test.cpp)
  cpp_target(${name} 17)
  target_link_libraries(${name} PRIVATE dnnl GTest::gtest_main)
  add_test(NAME ${name} COMMAND ${name})
endforeach()
