# SPDX-License-Identifier: Apache-2.0
"""Conan 2 recipe of Tessera: conan create packaging/conan --version=0.4.0, from a checkout.

The recipe exports the sources that lie two folders above it. `onednn` in options of other recipes: this package provides it.
"""
from pathlib import Path

from conan import ConanFile
from conan.tools.cmake import CMake, CMakeDeps, CMakeToolchain, cmake_layout
from conan.tools.files import copy


class Tessera(ConanFile):
    name = "tessera"
    license = "Apache-2.0"
    description = "An independent implementation of the oneDNN interface"
    topics = ("neural-networks", "tensors", "jit", "onednn")
    provides = "onednn"
    package_type = "library"
    settings = "os", "arch", "compiler", "build_type"
    options = {"shared": [True, False], "cpu_runtime": ["OMP", "TBB", "SEQ", "THREADPOOL"], "gpu": [True, False]}
    default_options = {"shared": True, "cpu_runtime": "OMP", "gpu": False}

    def export_sources(self):
        root = Path(self.recipe_folder).parents[1]
        for pattern in ("CMakeLists.txt", "LICENSE", "THIRD-PARTY.txt", "CHANGELOG.md", "cmake/*", "include/*", "src/*"):
            copy(self, pattern, root, self.export_sources_folder)

    def layout(self):
        cmake_layout(self)

    def validate(self):
        if self.settings.os != "Linux":
            from conan.errors import ConanInvalidConfiguration
            raise ConanInvalidConfiguration(f"Tessera is built on Linux alone so far, not on {self.settings.os}")

    def requirements(self):
        # Inside of the library: programs that link it need none of them.
        self.requires("fmt/[>=9 <13]", visible=False)
        self.requires("tl-expected/[>=1.0]", visible=False)
        if self.settings.arch == "x86_64":
            self.requires("xbyak/[>=6.02]", visible=False)
        if self.options.gpu:
            self.requires("opencl-headers/[>=2022.01.04]", visible=False)
        if self.options.cpu_runtime == "TBB":
            self.requires("onetbb/[>=2021]")

    def generate(self):
        toolchain = CMakeToolchain(self)
        cache = toolchain.cache_variables
        cache["ONEDNN_LIBRARY_TYPE"] = "SHARED" if self.options.shared else "STATIC"
        cache["ONEDNN_CPU_RUNTIME"] = str(self.options.cpu_runtime)
        cache["ONEDNN_GPU_RUNTIME"] = "OCL" if self.options.gpu else "NONE"
        for part in ("ONEDNN_BUILD_TESTS", "ONEDNN_BUILD_EXAMPLES", "TESSERA_PROGRAM", "TESSERA_BENCH"):
            cache[part] = False
        toolchain.generate()
        CMakeDeps(self).generate()

    def build(self):
        cmake = CMake(self)
        cmake.configure()
        cmake.build()

    def package(self):
        CMake(self).install()

    def package_info(self):
        self.cpp_info.set_property("cmake_file_name", "dnnl")
        self.cpp_info.set_property("cmake_target_name", "DNNL::dnnl")
        self.cpp_info.set_property("pkg_config_name", "dnnl")
        self.cpp_info.libs = ["dnnl"]
        if not self.options.shared:
            self.cpp_info.system_libs = ["m", "pthread", "dl"]
            if self.options.cpu_runtime == "OMP":
                self.cpp_info.sharedlinkflags = self.cpp_info.exelinkflags = ["-fopenmp"]
