#include "app/cannery/doctor_command.h"

#include <fmt/core.h>
#include <google/protobuf/stubs/common.h>
#include <nlohmann/json.hpp>

#include <filesystem>
#include <fstream>
#include <optional>
#include <thread>

namespace cannery::app {

namespace {

struct Finding
{
    std::string key;
    std::string text;
};

std::string processorName()
{
    std::ifstream stream("/proc/cpuinfo");
    std::string line;
    while (std::getline(stream, line)) {
        if (line.starts_with("model name")) {
            const std::size_t colon = line.find(':');
            return colon == std::string::npos ? line : line.substr(colon + 2);
        }
    }
    return "unknown";
}

std::string processorLevel()
{
    __builtin_cpu_init();
    const bool avx512 = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
                        __builtin_cpu_supports("avx512vl");
    return avx512 ? "x86-64-v4 (AVX-512); the engine uses x86-64-v3 (AVX2, FMA)"
                  : "x86-64-v3 (AVX2, FMA)";
}

std::string memory()
{
    std::ifstream stream("/proc/meminfo");
    std::string label;
    std::int64_t kilobytes = 0;
    std::string unit;
    std::int64_t total = 0;
    std::int64_t available = 0;
    while (stream >> label >> kilobytes >> unit) {
        total = label == "MemTotal:" ? kilobytes : total;
        available = label == "MemAvailable:" ? kilobytes : available;
    }
    return fmt::format("{:.1f} GiB, {:.1f} GiB available", static_cast<double>(total) / 1048576.0,
                       static_cast<double>(available) / 1048576.0);
}

std::string disk()
{
    std::error_code code;
    const auto space = std::filesystem::space(std::filesystem::current_path(code), code);
    if (code) {
        return "unknown: " + code.message();
    }
    return fmt::format("{:.1f} GiB free in the current folder",
                       static_cast<double>(space.available) / (1024.0 * 1024.0 * 1024.0));
}

std::string gpu()
{
    std::error_code code;
    const bool driver = std::filesystem::exists("/proc/driver/nvidia/version", code);
    return driver ? "an NVIDIA driver is loaded; this version trains on the processor only"
                  : "none; Cannery trains on the processor";
}

std::vector<Finding> findings()
{
    return {
        {"version", CANNERY_VERSION},
        {"processor", processorName()},
        {"level", processorLevel()},
        {"cores", fmt::format("{}", std::thread::hardware_concurrency())},
        {"memory", memory()},
        {"disk", disk()},
        {"gpu", gpu()},
        {"protobuf", google::protobuf::internal::VersionString(GOOGLE_PROTOBUF_VERSION)},
    };
}

} // namespace

void DoctorCommand::declare(OptionSet& options)
{
    options.flag("--json", m_json, "print one JSON object");
}

ExitCode DoctorCommand::run(Console& console)
{
    nlohmann::ordered_json json;
    for (const Finding& finding : findings()) {
        if (m_json) {
            json[finding.key] = finding.text;
        } else {
            console.result(fmt::format("{:<10} {}", finding.key, finding.text));
        }
    }
    if (m_json) {
        console.result(json.dump(2));
    }
    return ExitCode::Done;
}

} // namespace cannery::app
