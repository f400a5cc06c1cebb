// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tests/end_to_end/schema_readings.h"

#include <string>
#include <vector>

/// The parts of schemaReadings().
namespace cannery::tests {

inline const std::string kTable = "data.train.csv.files=";
inline const std::string kNumberX =
    "data.column[0]={ name: \"x\" dtype: float32 default_value: \"0.5\" }";
inline const std::string kLast = "eval_spec.exporter=[{ final_exporter {} }]";
inline const std::string kLonger = "train_spec.max_steps=8";
inline const std::string kOften = "run_config.save_checkpoints_steps=1";
inline const std::string kConstantRate = ".learning_rate_schedule=";
inline const std::string kToneLabel = "data.label.column=tone";
inline const std::string kClassLabel = "data.label.column=class";
inline const std::string kColours = "=[\"red\", \"green\", \"blue\"]";
inline const std::string kOtherColours = "=[\"blue\", \"green\", \"red\"]";

std::vector<SchemaReading> readingsOfData();
std::vector<SchemaReading> readingsOfColumns();
std::vector<SchemaReading> readingsOfTraining();
std::vector<SchemaReading> readingsOfTrees();
std::vector<SchemaReading> readingsOfClusters();
std::vector<SchemaReading> readingsOfLosses();
std::vector<SchemaReading> readingsOfMerging();
std::vector<SchemaReading> readingsOfNetworks();
std::vector<SchemaReading> readingsOfAttention();
std::vector<SchemaReading> readingsOfSequences();
std::vector<SchemaReading> readingsOfPictures();
std::vector<SchemaReading> readingsOfWindows();

/// Readings shared by several estimators and heads: `at` is the estimator or the head.
void addOfRows(std::vector<SchemaReading>& all, const std::string& experiment,
               const std::string& at);
void addOfNamedClasses(std::vector<SchemaReading>& all, const std::string& experiment,
                       const std::string& at);

/// numbers.csv as TFRecord files, a SQLite database and a NumPy archive, and a spoilt record file.
void writeOtherSources(const ProjectFixture& project);

/// Concatenates the lists.
std::vector<SchemaReading> joined(const std::vector<std::vector<SchemaReading>>& parts);

} // namespace cannery::tests
