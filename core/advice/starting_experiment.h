// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/advice/column_rules.h"
#include "core/advice/date_survey.h"
#include "core/advice/model_family.h"
#include "core/advice/piece_features.h"
#include "core/base/result.h"
#include "core/data/statistics.h"
#include "core/data/typing/schema.h"
#include "core/spec/experiment.pb.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace cannery::advice {

/// A column that a starting experiment does not learn from, or a warning about one that it does.
struct ColumnRemark
{
    std::string column;
    std::string remark;
};

/// What is known of a table for which an experiment is created.
struct TableFacts
{
    data::TableSchema schema;
    data::TableStatistics statistics;  ///< of every column
    std::string label;                 ///< empty only for an estimator that needs none
    data::ColumnStatistics labelTexts; ///< of the label, read as text
    std::string estimator; ///< "" or "auto": chosen; "linear", "dnn", ... or a full name
    std::vector<std::string> leaveOut = {}; ///< columns not to learn from
    std::vector<DateFacts> dates = {};      ///< of the columns of dates
    std::vector<PieceFacts> pieces = {};    ///< of those with several values in a cell
};

enum class LabelTask
{
    Binary,
    MultiClass,
    Regression
};

struct LabelChoice
{
    LabelTask task = LabelTask::Regression;
    std::vector<std::string> vocabulary; ///< class ids 0..n-1, or a number if empty
    std::int64_t classes = 0;
    bool readAsText = false; ///< numbers that are not 0..n-1 become texts of a vocabulary
    std::vector<std::string> missingTokens = {}; ///< texts among numbers that become texts
    double scale = 1;                            ///< of a number: about its deviation
    double offset = 0;                           ///< of a number: about its mean
};

/// Names of feature columns, by use.
struct ModelColumns
{
    std::vector<std::string> plain;   ///< of a linear model: scaled numbers and categories
    std::vector<std::string> buckets; ///< buckets of the numbers
    std::vector<std::string> deep;    ///< of a deep model
};

struct StartingExperiment
{
    spec::Experiment experiment; ///< everything but data.train, the estimator and how it is trained
    ModelColumns columns;
    LabelChoice label;
    std::optional<ModelFamily> family; ///< whichever does best if empty
    /// Reads a column of arrays, such as pictures. No models are tried then: each would take as
    /// long as training does.
    bool readsArrays = false;
    /// The feature column that holds pictures, if a convolutional network may read it; or empty.
    std::string picture;
    std::vector<ColumnRemark> leftOut;
    std::vector<ColumnRemark> taken; ///< how a column is used, if a user would ask
    std::vector<ColumnRemark> warnings;
    std::vector<std::string> rowNotes; ///< which rows are left out, if any
    std::vector<std::string> notes;    ///< how the model was chosen
    std::string task; ///< "binary classification", "5 classes", "regression", "clustering"
};

/// Data, columns and label of a good starting experiment, by ruleOf(); applyModel() chooses the
/// model. Errors: a label that does not exist or cannot be learned, an estimator that does not fit
/// the label, no column left to learn from.
Result<StartingExperiment> makeStartingExperiment(const TableFacts& facts);

} // namespace cannery::advice
