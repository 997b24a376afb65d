# SPDX-License-Identifier: Apache-2.0
# The options of a build, in the spelling of the specification: ONEDNN_<NAME>, or DNNL_<NAME> as before; the table stands
# in doc/topics/options.md. Each is honoured, or configuring stops and says what there is: nothing is silently ignored.
#
# Sets DNNL_<NAME> for each row. Needs no compiler, so that a refusal comes at once.
set(tessera_option_names)
set(tessera_refusals "")

# What the caller set, in `given`, and how it was spelt, in `spelling`; both empty where nothing was set.
macro(tessera_given name)
  list(APPEND tessera_option_names ${name})
  set(given)
  set(spelling)
  foreach(prefix ONEDNN DNNL)
    if(DEFINED ${prefix}_${name})
      set(value "${${prefix}_${name}}")
      if(spelling AND NOT value STREQUAL given)
        string(APPEND tessera_refusals "\n  ${spelling}=${given} and ${prefix}_${name}=${value} are two spellings of one "
                                       "option: take one out (-U${prefix}_${name})")
      elseif(NOT spelling)
        set(given "${value}")
        set(spelling ${prefix}_${name})
      endif()
    endif()
  endforeach()
endmacro()

# One of the values behind the default; any case. HINT: a sentence for the others.
function(tessera_choice name default)
  cmake_parse_arguments(PARSE_ARGV 2 choice "" "HINT" "VALUES")
  tessera_given(${name})
  string(TOUPPER "${given}" value)
  if(value STREQUAL "")
    set(value "${default}")
  elseif(NOT "${value}" IN_LIST choice_VALUES)
    list(JOIN choice_VALUES ", " values)
    string(APPEND tessera_refusals "\n  ${spelling}=${given}: there is ${values}${choice_HINT}")
  endif()
  set(DNNL_${name} "${value}" PARENT_SCOPE)
  set(tessera_option_names "${tessera_option_names}" PARENT_SCOPE)
  set(tessera_refusals "${tessera_refusals}" PARENT_SCOPE)
endfunction()

# A part of what there is: values of a list, separated by semicolons, any case. The library has no smaller builds, so more
# is built than was asked for, which a line says; a value that names nothing is refused as elsewhere.
function(tessera_part name)
  cmake_parse_arguments(PARSE_ARGV 1 part "" "HINT" "VALUES")
  tessera_given(${name})
  string(TOUPPER "${given}" given)
  set(unknown ${given})
  list(REMOVE_ITEM unknown ALL ${part_VALUES})
  if(NOT "${unknown}" STREQUAL "") # OFF is a word like others
    list(JOIN part_VALUES ", " values)
    string(APPEND tessera_refusals "\n  ${spelling}=${given}: there is ALL, or some of ${values}")
  elseif(given AND NOT given STREQUAL ALL)
    message(STATUS "${spelling}=${given}: more is built${part_HINT}")
  endif()
  set(DNNL_${name} ALL PARENT_SCOPE)
  set(tessera_option_names "${tessera_option_names}" PARENT_SCOPE)
  set(tessera_refusals "${tessera_refusals}" PARENT_SCOPE)
endfunction()

# ON or OFF. ONLY: there is the default alone; the sentence says why, or what does the same. EITHER: the library is the same
# with both, as when less is asked for than there is; a line with the sentence says so.
function(tessera_switch name default)
  cmake_parse_arguments(PARSE_ARGV 2 switch "" "ONLY;EITHER" "")
  tessera_given(${name})
  string(TOUPPER "${given}" value)
  if(NOT spelling)
    set(value ${default})
  elseif(value MATCHES "^(ON|TRUE|YES|Y|[1-9][0-9]*)$")
    set(value ON)
  elseif(value MATCHES "^(OFF|FALSE|NO|N|0|)$")
    set(value OFF)
  else()
    string(APPEND tessera_refusals "\n  ${spelling}=${given}: there is ON, OFF")
    set(value ${default})
  endif()
  if(switch_ONLY AND NOT value STREQUAL default)
    string(APPEND tessera_refusals "\n  ${spelling}=${given}: ${switch_ONLY}")
  elseif(switch_EITHER AND NOT value STREQUAL default)
    message(STATUS "${spelling}=${given}: ${switch_EITHER}")
    set(value ${default})
  endif()
  set(DNNL_${name} ${value} PARENT_SCOPE)
  set(tessera_option_names "${tessera_option_names}" PARENT_SCOPE)
  set(tessera_refusals "${tessera_refusals}" PARENT_SCOPE)
endfunction()

# Any text.
function(tessera_text name default)
  tessera_given(${name})
  if(NOT spelling)
    set(given "${default}")
  endif()
  set(DNNL_${name} "${given}" PARENT_SCOPE)
  set(tessera_option_names "${tessera_option_names}" PARENT_SCOPE)
  set(tessera_refusals "${tessera_refusals}" PARENT_SCOPE)
endfunction()

# ---- what is built

set(shared SHARED)
if(DEFINED BUILD_SHARED_LIBS AND NOT BUILD_SHARED_LIBS)
  set(shared STATIC)
endif()
tessera_choice(LIBRARY_TYPE ${shared} VALUES SHARED STATIC)
tessera_text(LIBRARY_NAME dnnl)
tessera_choice(CPU_RUNTIME OMP VALUES OMP TBB SEQ THREADPOOL HINT "; OMP is OpenMP, SEQ sequential")
tessera_choice(GPU_RUNTIME DEFAULT VALUES NONE OCL SYCL
               HINT "; the library has engines of OpenCL devices, of SYCL too") # kernels.cmake
tessera_switch(WITH_SYCL OFF) # the same as GPU_RUNTIME=SYCL, by the name that programs define for dnnl.hpp
tessera_choice(GPU_VENDOR NONE VALUES NONE INTEL NVIDIA AMD GENERIC) # says nothing where there is no GPU run time
set(tessera_tests_asked OFF) # whether the caller asked for the tests, or they are ON by default
if(DEFINED ONEDNN_BUILD_TESTS OR DEFINED DNNL_BUILD_TESTS)
  set(tessera_tests_asked ON)
endif()
tessera_switch(BUILD_TESTS ${PROJECT_IS_TOP_LEVEL})
tessera_switch(BUILD_EXAMPLES ${PROJECT_IS_TOP_LEVEL})
tessera_switch(BUILD_DOC OFF EITHER "`make docs` builds the site, at any time")
tessera_switch(BUILD_GRAPH OFF ONLY "the graph API is not part of this library; leave the option out")
tessera_text(ARCH_OPT_FLAGS "")
tessera_switch(WERROR OFF) # the presets switch it on: other compilers warn of other things

# ---- what the library can do

tessera_switch(ENABLE_CONCURRENT_EXEC ON) # OFF asks for less than there is: each execution has a scratchpad of its own
tessera_part(ENABLE_WORKLOAD VALUES TRAINING INFERENCE HINT ", training and inference: there is one library")
tessera_part(ENABLE_PRIMITIVE
             VALUES BATCH_NORMALIZATION BINARY CONCAT CONVOLUTION DECONVOLUTION ELTWISE GROUP_NORMALIZATION INNER_PRODUCT
                    LAYER_NORMALIZATION LRN MATMUL POOLING PRELU REDUCTION REORDER RESAMPLING RNN SDPA SHUFFLE SOFTMAX SUM
             HINT ", every primitive: there is one library")
tessera_part(ENABLE_PRIMITIVE_CPU_ISA VALUES SSE41 AVX2 AVX512 AMX
             HINT ", every instruction set; the variable ONEDNN_MAX_CPU_ISA limits that of a program")
tessera_part(ENABLE_PRIMITIVE_GPU_ISA VALUES NONE GEN9 GEN11 XELP XEHP XEHPG XEHPC XE2 XE3 XE3P
             HINT "; kernels are compiled for the device when it is used")
tessera_part(ENABLE_GEMM_KERNELS_ISA VALUES NONE SSE41 AVX2 AVX512
             HINT ", every instruction set; the variable ONEDNN_MAX_CPU_ISA limits that of a program")
tessera_switch(ENABLE_PRIMITIVE_CACHE ON
               EITHER "the cache is always there; the variable ONEDNN_PRIMITIVE_CACHE_CAPACITY=0 switches it off")
tessera_switch(ENABLE_MAX_CPU_ISA ON EITHER "ONEDNN_MAX_CPU_ISA and dnnl_set_max_cpu_isa are always there")
tessera_switch(ENABLE_CPU_ISA_HINTS ON EITHER "ONEDNN_CPU_ISA_HINTS and dnnl_set_cpu_isa_hints are always there")
tessera_switch(ENABLE_JIT_PROFILING ON
               EITHER "profiling is always there; the variable ONEDNN_JIT_PROFILE=0 switches it off")
tessera_switch(ENABLE_ITT_TASKS OFF ONLY "there are no ITT tasks; ONEDNN_JIT_PROFILE=6 shows kernels to perf")
tessera_switch(ENABLE_GRAPH_DUMP OFF ONLY "the graph API is not part of this library")
tessera_switch(VERBOSE ON EITHER "verbose lines are always there, and nothing is written until ONEDNN_VERBOSE asks for it")

# ---- parts of others, and trials

tessera_choice(BLAS_VENDOR NONE VALUES NONE HINT "; products of matrices are the library's own")
tessera_choice(DPCPP_HOST_COMPILER DEFAULT VALUES DEFAULT HINT "; no code of the library needs a compiler of SYCL")
tessera_switch(AARCH64_USE_ACL OFF ONLY "the Arm Compute Library is not used")
tessera_choice(INSTALL_MODE DEFAULT VALUES DEFAULT)
tessera_choice(CODE_COVERAGE OFF VALUES OFF HINT "; flags of the compiler in CMAKE_CXX_FLAGS measure it")
tessera_choice(USE_CLANG_SANITIZER NONE VALUES NONE HINT "; TESSERA_SANITIZE=ON looks for addresses and undefined behaviour")
tessera_choice(USE_CLANG_TIDY NONE VALUES NONE HINT "; CMAKE_CXX_CLANG_TIDY runs it")
tessera_choice(TEST_SET ALL VALUES ALL HINT "; ctest -R runs a part of the tests")
tessera_switch(DEV_MODE OFF ONLY "there is one mode; ONEDNN_WERROR=ON makes errors of warnings")
tessera_switch(EXPERIMENTAL_SPARSE ON EITHER "sparse memory is always there")
foreach(part "" _GROUPED_MEMORY _LOGGING _PROFILING _SYCL_KERNEL_COMPILER _UKERNEL)
  tessera_switch(EXPERIMENTAL${part} OFF ONLY "this experimental part is not built")
endforeach()

# ---- what nobody asked for

if(DNNL_WITH_SYCL AND DNNL_GPU_RUNTIME STREQUAL DEFAULT)
  set(DNNL_GPU_RUNTIME SYCL)
elseif(DNNL_GPU_RUNTIME STREQUAL SYCL)
  set(DNNL_WITH_SYCL ON)
elseif(DNNL_WITH_SYCL)
  string(APPEND tessera_refusals "\n  DNNL_WITH_SYCL=ON and ONEDNN_GPU_RUNTIME=${DNNL_GPU_RUNTIME}: with SYCL the run time of "
                                 "GPU engines is SYCL; leave one of the options out")
endif()
if(DNNL_WITH_SYCL AND DNNL_LIBRARY_TYPE STREQUAL STATIC)
  string(APPEND tessera_refusals "\n  DNNL_WITH_SYCL=ON: a static library with SYCL cannot be built; ONEDNN_LIBRARY_TYPE=SHARED "
                                 "can")
endif()
if(NOT DNNL_LIBRARY_NAME MATCHES "^[A-Za-z][A-Za-z0-9_.+-]*$")
  string(APPEND tessera_refusals "\n  ONEDNN_LIBRARY_NAME=${DNNL_LIBRARY_NAME}: a name is letters, digits and _ . + -")
endif()

# A misspelt option, or one of a later version. Other names with these prefixes may be the program's own (DNNL_DIR).
get_cmake_property(variables VARIABLES)
foreach(variable ${variables})
  if(variable MATCHES "^(ONEDNN|DNNL)_((BUILD|ENABLE|EXPERIMENTAL).*)$" AND NOT CMAKE_MATCH_2 IN_LIST tessera_option_names)
    set(family ${tessera_option_names})
    list(FILTER family INCLUDE REGEX "^${CMAKE_MATCH_3}")
    list(JOIN family ", " family)
    string(APPEND tessera_refusals "\n  ${variable}: no such option; there is ${family}")
  endif()
endforeach()

if(tessera_refusals)
  message(FATAL_ERROR "These options cannot be honoured:${tessera_refusals}")
endif()
message(STATUS "Library ${DNNL_LIBRARY_NAME}: ${DNNL_LIBRARY_TYPE}, CPU run time ${DNNL_CPU_RUNTIME}")
