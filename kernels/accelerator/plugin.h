// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"
#include "kernels/accelerator/accelerator.h"

#include <string>

namespace cannery::kernels {

/// The file of a plug-in, instead of libcannery_cuda.so beside the program.
inline constexpr const char* kPluginVariable = "CANNERY_CUDA_PLUGIN";
inline constexpr const char* kPluginFile = "libcannery_cuda.so";

/// What a plug-in's only symbol, `canneryAcceleratorPlugin`, points to. Plug-in and engine are
/// built from the same sources by the same compiler; `build` says so, and is compared before
/// anything else is used.
struct PluginDescription
{
    const char* build = nullptr;            ///< pluginBuild()
    AcceleratorPlugin* (*make)() = nullptr; ///< owned by the caller
};
inline constexpr const char* kPluginSymbol = "canneryAcceleratorPlugin";

/// Version of Cannery, and of the compiler.
const char* pluginBuild();

/// The plug-in in a file; it is never unloaded. Any thread. Errors: "gpu.no_plugin",
/// "gpu.plugin_not_loaded", "gpu.plugin_version".
Result<AcceleratorPlugin*> loadPlugin(const std::string& file);

/// The plug-in of this process, loaded when first asked for and kept: the file of kPluginVariable,
/// or kPluginFile where it is installed (CANNERY_PLUGIN_FOLDER) or beside the program. Any thread.
/// Errors: of loadPlugin(), the same ones each time.
Result<AcceleratorPlugin*> acceleratorPlugin();

} // namespace cannery::kernels
