// SPDX-License-Identifier: Apache-2.0
#include "kernels/accelerator/plugin.h"

#include "kernels/accelerator/errors.h"

#include <dlfcn.h>

#include <cstdlib>
#include <filesystem>
#include <string_view>
#include <system_error>

namespace cannery::kernels {

namespace {

std::string pluginFile()
{
    if (const char* const chosen = std::getenv(kPluginVariable); chosen != nullptr) {
        return chosen;
    }
    // Beside the program: first where an installation has it, then where a build puts it.
    std::error_code unreadable;
    const std::filesystem::path folder =
        std::filesystem::read_symlink("/proc/self/exe", unreadable).parent_path();
    const std::filesystem::path installed = folder / CANNERY_PLUGIN_FOLDER / kPluginFile;
    return std::filesystem::exists(installed, unreadable) ? installed.string()
                                                          : (folder / kPluginFile).string();
}

/// What the dynamic linker says, without the file that our sentence names already.
std::string linkerMessage(const std::string& file)
{
    const char* const reason = dlerror();
    std::string text = reason == nullptr ? "no reason is known" : reason;
    if (const std::string prefix = file + ": "; text.starts_with(prefix)) {
        text.erase(0, prefix.size());
    }
    return text;
}

} // namespace

const char* pluginBuild()
{
    return CANNERY_PLUGIN_BUILD;
}

Result<AcceleratorPlugin*> loadPlugin(const std::string& file)
{
    std::error_code unreadable;
    if (!std::filesystem::exists(file, unreadable)) {
        return fail(ErrorCode::NotFound, kNoPlugin, file, kPluginVariable);
    }
    // Without a slash, the linker would look in its own folders. Never closed: devices, and threads
    // of their driver, may outlive whoever asked.
    const std::string path = std::filesystem::absolute(file, unreadable).string();
    // RTLD_LOCAL: two libraries of CUDA in one process must not bind to each other's symbols.
    void* const library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) {
        return fail(ErrorCode::FailedPrecondition, kPluginNotLoaded, file, linkerMessage(path));
    }
    const auto* const description =
        static_cast<const PluginDescription*>(dlsym(library, kPluginSymbol));
    if (description == nullptr) {
        return fail(ErrorCode::FailedPrecondition, kPluginNotLoaded, file, linkerMessage(path));
    }
    const std::string_view build = description->build == nullptr ? "none" : description->build;
    // Both sides share classes across the border, so they must be of the same build.
    if (build != pluginBuild()) {
        return fail(ErrorCode::FailedPrecondition, kPluginVersion, file, build, pluginBuild());
    }
    return description->make();
}

Result<AcceleratorPlugin*> acceleratorPlugin()
{
    // Once for the process; a failure is kept, too.
    static const Result<AcceleratorPlugin*> kLoaded = loadPlugin(pluginFile());
    return kLoaded;
}

} // namespace cannery::kernels
