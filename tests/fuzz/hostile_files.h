// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"

#include <functional>
#include <string>
#include <string_view>
#include <vector>

/// Malicious files that a user could be sent, by format.
namespace cannery::tests {

/// Reads such a file to its end.
using HostileRead = std::function<Result<void>(std::string_view)>;

struct HostileFile
{
    std::string name; ///< including its format
    HostileRead read;
    std::string id; ///< of the error that refuses it
    std::function<std::string()> make;
};

class HostileFiles
{
public:
    void add(const std::string& format, HostileRead read, const std::string& name, const char* id,
             std::function<std::string()> make)
    {
        m_files.push_back({format + ": " + name, std::move(read), id, std::move(make)});
    }
    const std::vector<HostileFile>& all() const { return m_files; }

private:
    std::vector<HostileFile> m_files;
};

void addHostileRecords(HostileFiles& files); ///< and compressed files
void addHostileRowFiles(HostileFiles& files);
void addHostileEvents(HostileFiles& files);
void addHostileExamples(HostileFiles& files);
void addHostileTables(HostileFiles& files); ///< of strings, under the checkpoint index
void addHostileCheckpoints(HostileFiles& files);
void addHostileSlices(HostileFiles& files);
void addHostileStates(HostileFiles& files);
void addHostileGraphs(HostileFiles& files);
void addHostileModels(HostileFiles& files);
void addHostileRuns(HostileFiles& files); ///< graphs that are run
void addHostileExperiments(HostileFiles& files);
void addHostileRecordsOfRuns(HostileFiles& files); ///< the files of a run's folder
void addHostileStores(HostileFiles& files);
void addHostileImages(HostileFiles& files);
void addHostileTextTables(HostileFiles& files); ///< JSON lines, ARFF, LIBSVM, fixed width

/// An experiment; returns the problem with this id, otherwise the first one, as an error.
Result<void> readHostileExperiment(std::string_view text, std::string_view wantedId);
/// Runs the signature "predict" of a model.
Result<void> runHostileModel(std::string_view bytes);

template <typename T>
Result<void> nothingOf(const Result<T>& result)
{
    if (!result) {
        return tl::make_unexpected(result.error());
    }
    return {};
}

/// Bytes by their hexadecimal digits.
std::string hex(std::string_view digits);

} // namespace cannery::tests
