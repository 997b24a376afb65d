# SPDX-License-Identifier: Apache-2.0
# Checks of the public C headers and of the exported symbols.
#
# Every header compiles alone as C99 and C++11 without extensions; the tables of the interface hold in C and C++, with
# and without the experimental parts; the shared library exports exactly the interface.


set(abi_warnings -Wall -Wextra -Werror -pedantic)

set(abi_vendor ${CMAKE_CURRENT_LIST_DIR}/vendor)

function(abi_target name)
  target_include_directories(${name} PRIVATE ${PROJECT_SOURCE_DIR}/include ${PROJECT_BINARY_DIR}/include
                                             ${abi_vendor})
  target_compile_options(${name} PRIVATE ${abi_warnings})
endfunction()

# One file per header and language, with nothing but its inclusion.
file(GLOB abi_headers RELATIVE ${PROJECT_SOURCE_DIR}/include CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/include/*.h
     ${PROJECT_SOURCE_DIR}/include/oneapi/dnnl/*.h)
set(abi_sources)
foreach(header ${abi_headers})
  string(MAKE_C_IDENTIFIER ${header} word)
  foreach(language c cpp)
    set(source ${CMAKE_CURRENT_BINARY_DIR}/abi_alone/${word}.${language})
    file(CONFIGURE OUTPUT ${source} CONTENT "#include \"${header}\"\nint alone_${word}_${language};\n")
    list(APPEND abi_sources ${source})
  endforeach()
endforeach()
add_library(abi_headers_alone OBJECT ${abi_sources})
abi_target(abi_headers_alone)
set_target_properties(abi_headers_alone PROPERTIES C_STANDARD 99 C_EXTENSIONS OFF CXX_STANDARD 11 CXX_EXTENSIONS OFF)

set(abi_experimental DNNL_EXPERIMENTAL_PROFILING DNNL_EXPERIMENTAL_UKERNEL DNNL_EXPERIMENTAL_GROUPED_MEMORY=1)
foreach(variant plain experimental)
  foreach(language c cpp11 cpp20)
    set(name abi_types_${language}_${variant})
    if(language STREQUAL c)
      add_executable(${name} abi/types_test.c)
      set_target_properties(${name} PROPERTIES C_STANDARD 11 C_EXTENSIONS ON)
    else()
      add_executable(${name} abi/types_test.cpp)
      string(SUBSTRING ${language} 3 2 year)
      set_target_properties(${name} PROPERTIES CXX_STANDARD ${year})
    endif()
    abi_target(${name})
    if(variant STREQUAL experimental)
      target_compile_definitions(${name} PRIVATE ${abi_experimental})
    endif()
    add_test(NAME ${name} COMMAND ${name})
  endforeach()
endforeach()

# A library with sanitizers wants its programs to have them too, and exports their symbols.
set(abi_linked 0)
if(NOT TESSERA_SANITIZE)
  list(APPEND abi_linked 1)
endif()
foreach(linked ${abi_linked})
  add_executable(abi_weak_${linked} abi/weak_test.c)
  abi_target(abi_weak_${linked})
  target_compile_definitions(abi_weak_${linked} PRIVATE ABI_LINKED=${linked})
  add_test(NAME abi_weak_${linked} COMMAND abi_weak_${linked})
endforeach()

if(NOT TESSERA_SANITIZE)
  if(DNNL_LIBRARY_TYPE STREQUAL STATIC)
    target_link_libraries(abi_weak_1 PRIVATE -Wl,--whole-archive dnnl -Wl,--no-whole-archive) # as the header says
  else()
    target_link_libraries(abi_weak_1 PRIVATE dnnl)
  endif()
  add_test(NAME abi_symbols COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_LIST_DIR}/check_symbols.py
                                    $<TARGET_FILE:dnnl>)
endif()
add_test(NAME abi_generated COMMAND ${Python3_EXECUTABLE} ${PROJECT_SOURCE_DIR}/tools/api/generate.py --check)
