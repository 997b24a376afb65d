# SPDX-License-Identifier: Apache-2.0
# Packages by CPack: `make packages`, or `cpack` in a build folder. Three, one a component of cmake/install.cmake:
#
#   libtessera       libdnnl.so.3; takes the place of Debian's libdnnl3, whose programs run on it
#   libtessera-dev   headers, libdnnl.so, CMake and pkg-config files; takes the place of Debian's libdnnl-dev
#   tessera-tools    the program tessera
#
# They conflict with Debian's: both have a libdnnl.so.3.
set(CPACK_PACKAGE_NAME tessera)
set(CPACK_PACKAGE_VERSION ${tessera_version})
set(CPACK_PACKAGE_VENDOR "The Tessera authors")
set(CPACK_PACKAGE_CONTACT "The Tessera authors <maintainers@users.noreply.a-seed-a12ce4fe.example>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "Tessera, an implementation of the oneDNN interface")
set(CPACK_RESOURCE_FILE_LICENSE ${PROJECT_SOURCE_DIR}/LICENSE)
set(CPACK_GENERATOR DEB)
set(CPACK_SOURCE_GENERATOR TGZ)
set(CPACK_STRIP_FILES ON)
set(CPACK_VERBATIM_VARIABLES ON)
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_COMPONENTS_ALL dnnl_runtime dnnl_development)
if(TESSERA_PROGRAM)
  list(APPEND CPACK_COMPONENTS_ALL tessera_program)
endif()

set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION libs)
find_program(shlibdeps dpkg-shlibdeps)
mark_as_advanced(shlibdeps)
if(shlibdeps)
  set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
endif()

set(interface "an implementation of the interface of oneDNN ${tessera_interface}: primitives of neural networks
 (convolutions, matrix products, recurrent cells, normalizations, layouts of tensors) on x86-64, other processors and
 OpenCL devices.")
set(CPACK_DEBIAN_DNNL_RUNTIME_PACKAGE_NAME libtessera)
set(CPACK_DEBIAN_DNNL_RUNTIME_PACKAGE_PROVIDES "libdnnl3 (= ${tessera_interface})")
set(CPACK_DEBIAN_DNNL_RUNTIME_PACKAGE_CONFLICTS libdnnl3)
set(CPACK_DEBIAN_DNNL_RUNTIME_PACKAGE_REPLACES libdnnl3)
set(CPACK_COMPONENT_DNNL_RUNTIME_DESCRIPTION "Tessera, the library libdnnl.so.3\n Tessera is ${interface}")

set(CPACK_DEBIAN_DNNL_DEVELOPMENT_PACKAGE_NAME libtessera-dev)
set(CPACK_DEBIAN_DNNL_DEVELOPMENT_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_DNNL_DEVELOPMENT_PACKAGE_DEPENDS "libtessera (= ${tessera_version})")
set(CPACK_DEBIAN_DNNL_DEVELOPMENT_PACKAGE_PROVIDES "libdnnl-dev (= ${tessera_interface})")
set(CPACK_DEBIAN_DNNL_DEVELOPMENT_PACKAGE_CONFLICTS libdnnl-dev)
set(CPACK_DEBIAN_DNNL_DEVELOPMENT_PACKAGE_REPLACES libdnnl-dev)
set(CPACK_COMPONENT_DNNL_DEVELOPMENT_DESCRIPTION "Tessera, headers and package files\n Tessera is ${interface}")

set(CPACK_DEBIAN_TESSERA_PROGRAM_PACKAGE_NAME tessera-tools)
set(CPACK_DEBIAN_TESSERA_PROGRAM_PACKAGE_SECTION science)
set(CPACK_COMPONENT_TESSERA_PROGRAM_DESCRIPTION "Tessera, the program\n Moves tensors between layouts and types, draws\
 layouts, and runs, measures and explains problems of the library.")
include(CPack)
