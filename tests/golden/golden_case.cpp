// SPDX-License-Identifier: Apache-2.0
#include "tests/golden/golden_case.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <fstream>
#include <optional>

namespace cannery::tests {

namespace fs = std::filesystem;

namespace {

constexpr ErrorKind kNoCase{"golden.no_case", "{} has no case.json that can be read."};
constexpr ErrorKind kConverterFailed{
    "golden.converter", "to_experiment.py, which writes its errors above, failed on {}."};
constexpr double kNoiseFactor = 10.0;

double noiseOf(const nlohmann::json& noise, const char* key)
{
    const auto found = noise.find(key);
    return found == noise.end() || !found->is_number() ? 0.0 : kNoiseFactor * found->get<double>();
}

std::string checkpointIn(const fs::path& folder)
{
    std::string prefix = (folder / "model.ckpt").string();
    std::error_code missing; // then the reader reports that there is no checkpoint
    for (const auto& entry : fs::directory_iterator(folder, missing)) {
        if (entry.path().extension() == ".index") {
            prefix = (folder / entry.path().stem()).string();
        }
    }
    return prefix;
}

/// What a command prints; nothing if it fails. Not by QProcess, which starts none under qemu.
std::optional<std::string> printedBy(const std::string& command)
{
    std::FILE* pipe = popen(command.c_str(), "r");
    if (pipe == nullptr) {
        return std::nullopt;
    }
    std::string printed;
    std::array<char, 4096> part;
    while (const std::size_t size = std::fread(part.data(), 1, part.size(), pipe)) {
        printed.append(part.data(), size);
    }
    return pclose(pipe) == 0 ? std::optional(printed) : std::nullopt;
}

bool mentions(const nlohmann::json& arguments, const std::vector<std::string>& classes)
{
    const std::string text = arguments.dump();
    return std::any_of(classes.begin(), classes.end(), [&](const std::string& name) {
        return text.find("\"" + name + "\"") != std::string::npos;
    });
}

} // namespace

std::optional<std::int64_t> GoldenCase::deterministicSteps() const
{
    const auto found = description.find("deterministic_steps");
    return found == description.end() ? std::nullopt : std::optional(found->get<std::int64_t>());
}

bool GoldenCase::hasCheckpoints() const
{
    return !fs::exists(folder / "variables.json");
}

std::string GoldenCase::initialPrefix() const
{
    return checkpointIn(folder / "initial");
}

std::string GoldenCase::finalPrefix() const
{
    return checkpointIn(folder / "final");
}

nlohmann::json GoldenCase::read(const std::string& file) const
{
    std::ifstream stream(folder / file);
    return nlohmann::json::parse(stream, nullptr, false);
}

CaseTolerances GoldenCase::tolerances() const
{
    CaseTolerances result;
    const nlohmann::json& arguments = description.at("arguments");
    const nlohmann::json noise =
        fs::exists(folder / "noise.json") ? read("noise.json") : nlohmann::json::object();
    const bool batchNorm = arguments.value("batch_norm", false);
    result.lossRelative = std::max(batchNorm ? 1e-4 : 1e-5, noiseOf(noise, "loss_rel"));
    result.lateLossRelative = mentions(arguments, {"Adam", "Nadam", "RMSprop"})
                                  ? std::max(1e-4, result.lossRelative)
                                  : result.lossRelative;
    result.batchNorm = batchNorm;
    result.noiseAbsolute = std::max(1e-6, noiseOf(noise, "weights_abs"));
    // README: where batch normalisation makes biases noise, their noise says nothing about the
    // others.
    result.weightsAbsolute = batchNorm ? 3e-6 : std::max(1e-6, noiseOf(noise, "weights_abs"));
    result.weightsRelative = batchNorm ? 3e-4 : 1e-4;
    result.slotsAbsolute = std::max(1e-6, noiseOf(noise, "slots_abs"));
    result.evaluation = std::max(1e-5, noiseOf(noise, "eval_abs"));
    result.predictions = std::max(1e-5, noiseOf(noise, "predict_abs"));
    if (description.contains("tolerance")) {
        const double relative = description.at("tolerance").at("rtol").get<double>();
        result.onlyOptimum = true;
        result.lossRelative = relative;
        result.lateLossRelative = relative;
        result.weightsRelative = relative;
        result.evaluation = relative;
        result.predictions = relative;
    }
    return result;
}

Result<GoldenCase> readGoldenCase(const fs::path& folder)
{
    GoldenCase result{.folder = folder};
    result.description = result.read("case.json");
    if (!result.description.is_object()) {
        return fail(ErrorCode::NotFound, kNoCase, folder.string());
    }
    result.name = result.description.value("name", folder.filename().string());
    const auto text = printedBy("python3 '" CANNERY_SOURCE_DIR "/tests/golden/to_experiment.py' '" +
                                folder.string() + "'");
    if (!text) {
        return fail(ErrorCode::Internal, kConverterFailed, folder.string());
    }
    result.experimentText = *text;
    return result;
}

} // namespace cannery::tests
