# SPDX-License-Identifier: Apache-2.0
# Removes what `cmake --install` of this build folder installed last, as its install_manifest*.txt say, and folders that
# became empty.
#
#   cmake -DBUILD=build -P cmake/uninstall.cmake
file(GLOB manifests ${BUILD}/install_manifest*.txt)
if(NOT manifests)
  message(FATAL_ERROR "${BUILD} has no install_manifest.txt: nothing was installed from it")
endif()
set(folders)
foreach(manifest ${manifests})
  file(STRINGS ${manifest} files)
  foreach(file ${files})
    set(path "$ENV{DESTDIR}${file}")
    if(EXISTS "${path}" OR IS_SYMLINK "${path}")
      file(REMOVE "${path}")
      if(EXISTS "${path}" OR IS_SYMLINK "${path}")
        message(FATAL_ERROR "${path} cannot be removed")
      endif()
      message(STATUS "Removed ${path}")
    endif()
    get_filename_component(folder "${path}" DIRECTORY)
    list(APPEND folders "${folder}")
  endforeach()
  file(REMOVE ${manifest})
endforeach()

# Folders of this library that hold nothing any more; those of the system (lib, include, bin) stay.
list(REMOVE_DUPLICATES folders)
foreach(folder ${folders})
  while(folder MATCHES "/(dnnl|oneapi|libtessera|libtessera-dev|tessera-tools)(/|$)")
    file(GLOB rest "${folder}/*")
    if(rest)
      break()
    endif()
    file(REMOVE_RECURSE "${folder}")
    get_filename_component(folder "${folder}" DIRECTORY)
  endwhile()
endforeach()
