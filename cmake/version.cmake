# SPDX-License-Identifier: Apache-2.0
# Versions, each written in one place: the library's own in dnnl_tessera.h (tessera_version, 0.4.0), that of the interface in
# dnnl_version.h (tessera_interface, 3.13.1), which programs and packages ask for.
function(tessera_read_version header prefix result)
  file(STRINGS ${CMAKE_CURRENT_SOURCE_DIR}/include/oneapi/dnnl/${header} lines REGEX "^#define ${prefix}_(MAJOR|MINOR|PATCH) ")
  list(TRANSFORM lines REPLACE "^#define [A-Z_]+ ([0-9]+).*$" "\\1")
  list(JOIN lines "." version)
  if(NOT version MATCHES "^[0-9]+[.][0-9]+[.][0-9]+$")
    message(FATAL_ERROR "${header}: no lines '#define ${prefix}_MAJOR 1', _MINOR, _PATCH")
  endif()
  set(${result} ${version} PARENT_SCOPE)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/include/oneapi/dnnl/${header})
endfunction()
tessera_read_version(dnnl_tessera.h TESSERA_VERSION tessera_version)
tessera_read_version(dnnl_version.h DNNL_VERSION tessera_interface)

# The commit, for dnnl_version()->hash: what the caller sets as TESSERA_COMMIT, else that of the checkout, else the one that
# `git archive` wrote into commit.txt, else "N/A".
set(TESSERA_COMMIT "" CACHE STRING "The commit that dnnl_version() tells; empty: that of the sources")
set(tessera_commit "${TESSERA_COMMIT}")
if(NOT tessera_commit MATCHES "^[A-Za-z0-9._+~/:-]*$") # it becomes a word of the compiler's command
  message(FATAL_ERROR "TESSERA_COMMIT=${TESSERA_COMMIT}: letters, digits and . _ + ~ / : - are possible")
endif()
if(NOT tessera_commit AND EXISTS ${CMAKE_CURRENT_SOURCE_DIR}/.git)
  find_program(TESSERA_GIT git)
  if(TESSERA_GIT)
    # Hooks of git set GIT_DIR, of a repository that need not be this one.
    execute_process(COMMAND ${CMAKE_COMMAND} -E env --unset=GIT_DIR --unset=GIT_WORK_TREE ${TESSERA_GIT} rev-parse HEAD --git-path logs/HEAD WORKING_DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR}
                    OUTPUT_VARIABLE lines OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET RESULT_VARIABLE failed)
    if(NOT failed)
      string(REPLACE "\n" ";" lines "${lines}")
      list(GET lines 0 tessera_commit)
      list(GET lines 1 log) # it grows with every commit and checkout
      get_filename_component(log "${log}" ABSOLUTE BASE_DIR ${CMAKE_CURRENT_SOURCE_DIR})
      if(EXISTS ${log})
        set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${log})
      endif()
    endif()
  endif()
endif()
if(NOT tessera_commit)
  file(STRINGS ${CMAKE_CURRENT_LIST_DIR}/commit.txt lines REGEX "^[0-9a-f]+$")
  list(APPEND lines "N/A")
  list(GET lines 0 tessera_commit)
endif()
