# SPDX-License-Identifier: Apache-2.0
# What `cmake --install` puts where, and in which component:
#
#   dnnl_runtime       lib/libdnnl.so.3 -> libdnnl.so.3.13
#   dnnl_development   lib/libdnnl.so or lib/libdnnl.a; include/oneapi/dnnl/*, include/dnnl*.h;
#                      lib/cmake/dnnl: find_package(dnnl) -> DNNL::dnnl; lib/pkgconfig/dnnl.pc
#   tessera_program    bin/tessera
#   each               share/doc/<its Debian package>/{copyright,THIRD-PARTY.txt}
#
# `cmake --install build --component dnnl_runtime` installs one; without a name all that was built.
include(CMakePackageConfigHelpers)

set(name ${DNNL_LIBRARY_NAME})
set(package_folder ${CMAKE_INSTALL_LIBDIR}/cmake/${name})

install(TARGETS ${name} EXPORT ${name}-targets
        LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT dnnl_runtime NAMELINK_COMPONENT dnnl_development
        ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT dnnl_development
        INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(EXPORT ${name}-targets NAMESPACE DNNL:: DESTINATION ${package_folder} COMPONENT dnnl_development)
if(TARGET tessera_cli) # where it was built: the library can be built and installed alone
  install(TARGETS tessera_cli RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT tessera_program OPTIONAL)
endif()

install(DIRECTORY include/ DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT dnnl_development PATTERN "*.in" EXCLUDE)
install(FILES ${PROJECT_BINARY_DIR}/include/oneapi/dnnl/dnnl_config.h
        DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/oneapi/dnnl COMPONENT dnnl_development)
set(documents_of_dnnl_runtime libtessera)
set(documents_of_dnnl_development libtessera-dev)
set(documents_of_tessera_program tessera-tools)
foreach(component dnnl_runtime dnnl_development tessera_program)
  if(component STREQUAL tessera_program AND NOT TARGET tessera_cli)
    continue()
  endif()
  set(folder ${CMAKE_INSTALL_DATAROOTDIR}/doc/${documents_of_${component}})
  install(FILES LICENSE DESTINATION ${folder} RENAME copyright COMPONENT ${component})
  install(FILES THIRD-PARTY.txt DESTINATION ${folder} COMPONENT ${component})
endforeach()
install(FILES CHANGELOG.md DESTINATION ${CMAKE_INSTALL_DATAROOTDIR}/doc/libtessera COMPONENT dnnl_runtime)

# Programs that link the static library need what it needs; the shared one carries its own dependencies.
set(static_libraries)
if(DNNL_LIBRARY_TYPE STREQUAL STATIC)
  set(dependencies_of_programs "find_dependency(Threads)\n")
  set(package_OMP "OpenMP COMPONENTS CXX")
  set(package_TBB "TBB COMPONENTS tbb")
  if(package_${DNNL_CPU_RUNTIME})
    string(APPEND dependencies_of_programs "find_dependency(${package_${DNNL_CPU_RUNTIME}})\n")
  endif()
  set(static_libraries "-lstdc++ -lm -pthread ${TESSERA_PKGCONFIG_${DNNL_CPU_RUNTIME}}")
endif()

configure_package_config_file(cmake/dnnl-config.cmake.in ${PROJECT_BINARY_DIR}/${name}-config.cmake
                              INSTALL_DESTINATION ${package_folder} NO_SET_AND_CHECK_MACRO)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/${name}-config-version.cmake VERSION ${tessera_interface}
                                 COMPATIBILITY SameMajorVersion)
install(FILES ${PROJECT_BINARY_DIR}/${name}-config.cmake ${PROJECT_BINARY_DIR}/${name}-config-version.cmake
        DESTINATION ${package_folder} COMPONENT dnnl_development)

# The prefix of dnnl.pc is relative to the file, so that an installed tree can be moved.
file(RELATIVE_PATH pc_prefix /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
string(REGEX REPLACE "/$" "" pc_prefix "\${pcfiledir}/${pc_prefix}")
configure_file(cmake/dnnl.pc.in ${PROJECT_BINARY_DIR}/${name}.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/${name}.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig
        COMPONENT dnnl_development)

if(PROJECT_IS_TOP_LEVEL)
  add_custom_target(uninstall COMMAND ${CMAKE_COMMAND} -DBUILD=${PROJECT_BINARY_DIR} -P ${PROJECT_SOURCE_DIR}/cmake/uninstall.cmake
                    VERBATIM)
  include(cmake/packages.cmake)
endif()
