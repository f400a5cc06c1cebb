// SPDX-License-Identifier: Apache-2.0
#include "storage/runs/process_identity.h"

#include <fmt/core.h>

#include <fstream>
#include <sstream>

namespace cannery::storage {
namespace {

std::string firstLine(const std::string& path)
{
    std::ifstream file(path);
    std::string line;
    std::getline(file, line);
    return line;
}

} // namespace

std::string processStartTime(std::int64_t processId)
{
    const std::string line = firstLine(fmt::format("/proc/{}/stat", processId));
    // The second field, the program's name, may contain spaces; the 22nd is the start time.
    const std::size_t nameEnd = line.rfind(')');
    if (nameEnd == std::string::npos) {
        return {};
    }
    std::istringstream fields(line.substr(nameEnd + 1));
    std::string field;
    for (int i = 3; i <= 22 && fields >> field; ++i) {
        if (i == 3 && (field == "Z" || field == "X")) {
            return {}; // a zombie: dead, but not yet waited for
        }
    }
    // Process ids and start times start over with each boot.
    return fmt::format("{}@{}", field, firstLine("/proc/sys/kernel/random/boot_id"));
}

bool isProcessAlive(std::int64_t processId, const std::string& startTime)
{
    return processId > 0 && !startTime.empty() && processStartTime(processId) == startTime;
}

} // namespace cannery::storage
