# What `cmake --install` puts where: the library, its headers, the program, and the files by which others find them.
#
#   lib/libdnnl.so -> libdnnl.so.3 -> libdnnl.so.3.13        bin/tessera
#   include/oneapi/dnnl/*, include/dnnl*.h                   lib/cmake/dnnl: find_package(dnnl) -> DNNL::dnnl
#   share/doc/dnnl/LICENSE                                   lib/pkgconfig/dnnl.pc
include(CMakePackageConfigHelpers)

set(package_folder ${CMAKE_INSTALL_LIBDIR}/cmake/dnnl)

install(TARGETS dnnl EXPORT dnnl-targets
        LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}
        INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(EXPORT dnnl-targets NAMESPACE DNNL:: DESTINATION ${package_folder})
if(TARGET tessera_cli)
  install(TARGETS tessera_cli RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
endif()

install(DIRECTORY include/ DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} PATTERN "*.in" EXCLUDE)
install(FILES ${PROJECT_BINARY_DIR}/include/oneapi/dnnl/dnnl_config.h
        DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/oneapi/dnnl)
install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR})

configure_package_config_file(cmake/dnnl-config.cmake.in dnnl-config.cmake INSTALL_DESTINATION ${package_folder}
                              NO_SET_AND_CHECK_MACRO)
write_basic_package_version_file(dnnl-config-version.cmake COMPATIBILITY SameMajorVersion)
install(FILES ${PROJECT_BINARY_DIR}/dnnl-config.cmake ${PROJECT_BINARY_DIR}/dnnl-config-version.cmake
        DESTINATION ${package_folder})

# The prefix of dnnl.pc is relative to the file, so that an installed tree can be moved.
file(RELATIVE_PATH pc_prefix /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
string(REGEX REPLACE "/$" "" pc_prefix "\${pcfiledir}/${pc_prefix}")
configure_file(cmake/dnnl.pc.in dnnl.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/dnnl.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
