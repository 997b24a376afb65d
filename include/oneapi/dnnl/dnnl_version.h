// SPDX-License-Identifier: Apache-2.0
/// Version of the interface these headers describe. The library that is
/// loaded when the program runs reports its own through dnnl_version().
#ifndef ONEAPI_DNNL_DNNL_VERSION_H
#define ONEAPI_DNNL_DNNL_VERSION_H

/// Programs built for another major version do not link.
#define DNNL_VERSION_MAJOR 3
/// A higher minor version only adds names.
#define DNNL_VERSION_MINOR 13
/// Corrections without a change of interface.
#define DNNL_VERSION_PATCH 1

#endif
