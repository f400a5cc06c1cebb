// SPDX-License-Identifier: Apache-2.0
#include "core/cluster/environment.h"

#include <unistd.h>

namespace cannery::cluster {

Environment environmentOfProcess()
{
    Environment result;
    for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
        const std::string_view text = *entry;
        const std::size_t equals = text.find('=');
        if (equals != std::string_view::npos) {
            result.emplace(text.substr(0, equals), text.substr(equals + 1));
        }
    }
    return result;
}

std::string_view valueOf(const Environment& environment, std::string_view variable)
{
    const auto found = environment.find(variable);
    return found == environment.end() ? std::string_view() : std::string_view(found->second);
}

} // namespace cannery::cluster
