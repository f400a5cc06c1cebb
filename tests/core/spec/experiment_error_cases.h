// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QSet>
#include <QString>

#include <string>

/// Invalid experiments, as rows of a test: the text, and "6:3 id [path]" of each problem.
namespace cannery::tests {

/// Lines 1 to 5 of most cases, so that the text under test begins in line 6.
inline const std::string kBase =
    R"(data { train { csv { files: "a.csv" } } label { column: "y" } }
train_spec { max_steps: 5 }
feature_column { name: "age" numeric_column { key: "age" } }
feature_column { name: "sex" categorical_column_with_vocabulary_list { key: "sex" vocabulary_list: ["m", "f"] } }
feature_column { name: "job" categorical_column_with_hash_bucket { key: "job" hash_bucket_size: 9 } }
)";

inline const std::string kLinear = "estimator { linear_classifier { feature_columns: \"age\" } }\n";

/// The names of all cases, as they are added.
QSet<QString>& caseNames();

void addCase(const char* name, const std::string& text, const std::string& expected);
/// A feature column in line 6, then a valid estimator.
void addColumn(const char* name, const std::string& line, const std::string& expected);
/// An estimator in line 6.
void addEstimator(const char* name, const std::string& line, const std::string& expected);
/// Anything from line 7 on.
void addRest(const char* name, const std::string& lines, const std::string& expected);

/// For syntax, types, data and training.
void addErrorsOfTexts();
/// For feature columns, estimators and heads.
void addErrorsOfModels();
/// For sequence columns and their readers.
void addErrorsOfSequences();
/// For the layers of a custom_estimator.
void addErrorsOfNetworks();
/// For hooks, listeners and exporters.
void addErrorsOfRunning();

} // namespace cannery::tests
