# SPDX-License-Identifier: Apache-2.0
# Removes what `cmake --install` of this build folder installed last, as its install_manifest*.txt say, and folders that
# became empty.
#
#   cmake -DBUILD=build -P cmake/uninstall.cmake
#
# Paths may have any character but line breaks and ;, which CMake writes as one: no lists of them, in which [ has a meaning.
function(tessera_glob result folder pattern)
  string(REGEX REPLACE "([[*?])" "[\\1]" folder "${folder}")
  file(GLOB found "${folder}/${pattern}")
  set(${result} "${found}" PARENT_SCOPE)
endfunction()

# A folder of this library that holds nothing any more, and those above it that are its own; those of the system (lib,
# include, bin) and the prefix stay.
function(tessera_remove_empty folder)
  while(folder MATCHES "/(include/oneapi(/dnnl(/.*)?)?|cmake/[^/]+|doc/(libtessera|libtessera-dev|tessera-tools))$" AND IS_DIRECTORY "${folder}")
    tessera_glob(rest "${folder}" "*")
    if(NOT rest STREQUAL "")
      break()
    endif()
    file(REMOVE_RECURSE "${folder}")
    get_filename_component(folder "${folder}" DIRECTORY)
  endwhile()
endfunction()

function(tessera_remove path)
  if(EXISTS "${path}" OR IS_SYMLINK "${path}")
    file(REMOVE "${path}")
    if(EXISTS "${path}" OR IS_SYMLINK "${path}")
      message(FATAL_ERROR "${path} cannot be removed")
    endif()
    message(STATUS "Removed ${path}")
  endif()
  get_filename_component(folder "${path}" DIRECTORY)
  tessera_remove_empty("${folder}")
endfunction()

tessera_glob(manifests "${BUILD}" install_manifest*.txt)
if(NOT manifests)
  message(FATAL_ERROR "${BUILD} has no install_manifest.txt: nothing was installed from it")
endif()
foreach(manifest ${manifests})
  file(READ "${manifest}" rest)
  while(NOT rest STREQUAL "")
    string(FIND "${rest}\n" "\n" end)
    string(SUBSTRING "${rest}" 0 ${end} file)
    math(EXPR end "${end} + 1")
    string(LENGTH "${rest}" length)
    if(end LESS length)
      string(SUBSTRING "${rest}" ${end} -1 rest)
    else()
      set(rest "")
    endif()
    if(NOT file STREQUAL "")
      tessera_remove("$ENV{DESTDIR}${file}")
    endif()
  endwhile()
  file(REMOVE "${manifest}")
endforeach()
