# SPDX-License-Identifier: Apache-2.0
# The run times of the CPU engine: OMP, TBB, SEQ, THREADPOOL. What depends on them are the files of src/cpu/runtime and the
# generated header dnnl_config.h; everything else is compiled once. The library has one run time, and the tests build the
# others beside it for the price of a link.

set(TESSERA_RUNTIMES OMP TBB SEQ THREADPOOL)
set(TESSERA_SOURCES_OMP omp.cpp pool.cpp)
set(TESSERA_SOURCES_TBB tbb.cpp)
set(TESSERA_SOURCES_SEQ seq.cpp)
set(TESSERA_SOURCES_THREADPOOL threadpool.cpp)

# What programs of a run time link, for pkg-config; nothing for the others. For CMake: dependencies.cmake.
set(TESSERA_PKGCONFIG_OMP -fopenmp)
set(TESSERA_PKGCONFIG_TBB -ltbb)

# FOLDER/include/oneapi/dnnl/dnnl_config.h of a run time.
function(tessera_configure_header folder DNNL_CPU_RUNTIME)
  configure_file(${PROJECT_SOURCE_DIR}/include/oneapi/dnnl/dnnl_config.h.in ${folder}/include/oneapi/dnnl/dnnl_config.h
                 @ONLY)
endfunction()

# Where the headers of this build's own run time are; the others' are below runtimes/.
function(tessera_folder_of runtime folder)
  if(runtime STREQUAL DNNL_CPU_RUNTIME)
    set(${folder} ${PROJECT_BINARY_DIR} PARENT_SCOPE)
  else()
    set(${folder} ${PROJECT_BINARY_DIR}/runtimes/${runtime} PARENT_SCOPE)
  endif()
endfunction()

# tessera_threads(OMP): the objects of a run time, as the target threads_OMP, and what users of the library compile and
# link with, as runtime_OMP.
function(tessera_threads runtime)
  tessera_folder_of(${runtime} folder)
  tessera_configure_header(${folder} ${runtime})
  add_library(runtime_${runtime} INTERFACE)
  target_include_directories(runtime_${runtime} INTERFACE ${PROJECT_SOURCE_DIR}/include ${folder}/include)
  target_link_libraries(runtime_${runtime} INTERFACE Threads::Threads ${TESSERA_LINKS_${runtime}})

  list(TRANSFORM TESSERA_SOURCES_${runtime} PREPEND ${PROJECT_SOURCE_DIR}/src/cpu/runtime/ OUTPUT_VARIABLE sources)
  add_library(threads_${runtime} OBJECT ${sources})
  tessera_library_code(threads_${runtime})
  target_include_directories(threads_${runtime} PRIVATE ${PROJECT_SOURCE_DIR}/src)
  target_link_libraries(threads_${runtime} PRIVATE runtime_${runtime})
endfunction()

# How the library's own objects are compiled.
function(tessera_library_code target)
  set_target_properties(${target} PROPERTIES POSITION_INDEPENDENT_CODE ON CXX_VISIBILITY_PRESET hidden
                                             VISIBILITY_INLINES_HIDDEN ON)
  # -O3 where loops over elements are; elsewhere it made the library larger and the build longer, and nothing faster. A
  # program that says nothing about optimisation gets a library that is optimised.
  target_compile_options(${target} PRIVATE $<$<OR:$<CONFIG:Release>,$<STREQUAL:$<CONFIG>,>>:-O2>)
  separate_arguments(arch NATIVE_COMMAND "${DNNL_ARCH_OPT_FLAGS}")
  target_compile_options(${target} PRIVATE ${arch})
  target_compile_definitions(${target} PRIVATE DNNL_DLL DNNL_DLL_EXPORTS)
  target_link_libraries(${target} PUBLIC tessera_flags)
endfunction()

# What is the same for every run time; of another build tree, it is one target (src/CMakeLists.txt).
function(tessera_objects_of_all name)
  set(objects $<TARGET_OBJECTS:tessera_objects>)
  if(TARGET tessera_loops)
    list(APPEND objects $<TARGET_OBJECTS:tessera_decisions> $<TARGET_OBJECTS:tessera_loops>)
  endif()
  set(${name} ${objects} PARENT_SCOPE)
endfunction()

# tessera_internals(NAME OMP): a static library that shows everything, for tests and tools.
function(tessera_internals target runtime)
  tessera_objects_of_all(objects)
  add_library(${target} STATIC ${objects} $<TARGET_OBJECTS:threads_${runtime}>)
  set_target_properties(${target} PROPERTIES LINKER_LANGUAGE CXX)
  target_include_directories(${target} PUBLIC ${PROJECT_SOURCE_DIR}/src)
  target_link_libraries(${target} PUBLIC tessera_flags runtime_${runtime})
  if(DNNL_WITH_SYCL)
    target_link_libraries(${target} PUBLIC tessera_sycl)
  endif()
endfunction()

# tessera_dnnl(NAME SHARED OMP): the library that users link, with fmt inside.
function(tessera_dnnl target type runtime)
  set(fmt $<TARGET_OBJECTS:tessera_fmt>)
  if(TESSERA_OBJECTS)
    set(fmt) # among the others
  endif()
  tessera_objects_of_all(objects)
  add_library(${target} ${type} ${objects} $<TARGET_OBJECTS:threads_${runtime}> ${fmt})
  tessera_folder_of(${runtime} folder)
  set_target_properties(${target} PROPERTIES LINKER_LANGUAGE CXX VERSION 3.13 SOVERSION 3
                                             LIBRARY_OUTPUT_DIRECTORY ${folder} ARCHIVE_OUTPUT_DIRECTORY ${folder})
  target_include_directories(${target} INTERFACE $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>
                                                 $<BUILD_INTERFACE:${folder}/include>)
  target_link_libraries(${target} PRIVATE Threads::Threads ${TESSERA_LINKS_${runtime}})
  if(DNNL_WITH_SYCL)
    target_link_libraries(${target} PRIVATE ${TESSERA_SYCL_LIBRARY})
  endif()
  if(TESSERA_SANITIZE)
    target_link_options(${target} PUBLIC ${TESSERA_SANITIZERS}) # their run time comes with the program
  elseif(type STREQUAL SHARED)
    set(exports ${PROJECT_SOURCE_DIR}/cmake/exports.map)
    # Never unloaded: threads of libgomp, which would go with us, may still be spinning in it.
    target_link_options(${target} PRIVATE -Wl,-z,nodelete -Wl,--exclude-libs,ALL -Wl,--no-undefined
                                          -Wl,--version-script,${exports})
    set_target_properties(${target} PROPERTIES LINK_DEPENDS ${exports})
  endif()
endfunction()
