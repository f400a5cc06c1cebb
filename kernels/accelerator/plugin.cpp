// SPDX-License-Identifier: Apache-2.0
#include "kernels/accelerator/plugin.h"

#include "kernels/accelerator/errors.h"

#include <cstdlib>
#include <dlfcn.h>
#include <filesystem>
#include <memory>
#include <string_view>

namespace cannery::kernels {

const char* pluginBuild()
{
    return "cannery 1";
}

namespace {

Result<AcceleratorPlugin*> load()
{
    const char* chosen = std::getenv(kPluginVariable);
    std::error_code code;
    const std::filesystem::path program = std::filesystem::read_symlink("/proc/self/exe", code);
    const std::string file =
        chosen != nullptr ? chosen : (program.parent_path() / kPluginFile).string();
    if (!std::filesystem::exists(file, code)) {
        return fail(ErrorCode::NotFound, kNoPlugin, kPluginFile, kPluginVariable);
    }
    void* library = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) {
        return fail(ErrorCode::FailedPrecondition, kPluginNotLoaded, file, dlerror());
    }
    const auto* description = static_cast<const PluginDescription*>(dlsym(library, kPluginSymbol));
    if (description == nullptr) {
        return fail(ErrorCode::FailedPrecondition, kPluginNotLoaded, file, dlerror());
    }
    if (std::string_view(description->build) != pluginBuild()) {
        return fail(ErrorCode::FailedPrecondition, kPluginVersion, file, description->build,
                    pluginBuild());
    }
    return description->make();
}

} // namespace

Result<AcceleratorPlugin*> acceleratorPlugin()
{
    static const Result<AcceleratorPlugin*> kLoaded = load();
    return kLoaded;
}

} // namespace cannery::kernels
