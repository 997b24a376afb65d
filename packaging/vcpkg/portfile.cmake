# SPDX-License-Identifier: Apache-2.0
# Port of Tessera for vcpkg: vcpkg install tessera --overlay-ports=packaging/vcpkg, from a checkout.
#
# It builds the sources that lie two folders above it, and has files of oneDNN's names: the port onednn cannot be installed
# beside it.
get_filename_component(SOURCE_PATH "${CURRENT_PORT_DIR}/../.." ABSOLUTE)

string(COMPARE EQUAL "${VCPKG_LIBRARY_LINKAGE}" dynamic shared)
if(shared)
  set(type SHARED)
else()
  set(type STATIC)
endif()
set(runtime OMP)
if("tbb" IN_LIST FEATURES)
  set(runtime TBB)
endif()
set(gpu NONE)
if("gpu" IN_LIST FEATURES)
  set(gpu OCL)
endif()

vcpkg_cmake_configure(
  SOURCE_PATH "${SOURCE_PATH}"
  OPTIONS -DONEDNN_LIBRARY_TYPE=${type} -DONEDNN_CPU_RUNTIME=${runtime} -DONEDNN_GPU_RUNTIME=${gpu} -DONEDNN_BUILD_TESTS=OFF
          -DONEDNN_BUILD_EXAMPLES=OFF -DTESSERA_PROGRAM=OFF -DTESSERA_BENCH=OFF)
vcpkg_cmake_install()
vcpkg_cmake_config_fixup(PACKAGE_NAME dnnl CONFIG_PATH lib/cmake/dnnl)
vcpkg_fixup_pkgconfig()
file(REMOVE_RECURSE "${CURRENT_PACKAGES_DIR}/debug/include" "${CURRENT_PACKAGES_DIR}/debug/share")
vcpkg_install_copyright(FILE_LIST "${SOURCE_PATH}/LICENSE" "${SOURCE_PATH}/THIRD-PARTY.txt")
