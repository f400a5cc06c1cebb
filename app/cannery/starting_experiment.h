#pragma once

#include "core/base/result.h"
#include "core/data/schema.h"
#include "core/data/statistics.h"
#include "core/spec/experiment.pb.h"

#include <string>
#include <vector>

namespace cannery::app {

/// A column that a starting experiment does not learn from, or a warning about one that it does.
struct ColumnRemark
{
    std::string column;
    std::string remark;
};

/// What is known of a table when an experiment is made for it.
struct TableFacts
{
    data::TableSchema schema;
    data::TableStatistics statistics; ///< of every column
    std::string label;
    std::string estimator; ///< "" or "auto": chosen; "linear", "dnn", ... or a full name
};

struct StartingExperiment
{
    spec::Experiment experiment; ///< everything but data.train
    std::vector<ColumnRemark> leftOut;
    std::vector<ColumnRemark> warnings;
    std::string task; ///< "binary classification", "5 classes", "regression"
};

/// Names that `estimator` may have, besides the full ones.
std::vector<std::string> estimatorChoices();

/// A good experiment to begin with: z-scored numbers, vocabularies or hash buckets by the number of
/// distinct values, an indicator or an embedding of each for the deep part; identifiers, dates,
/// free text, constant and empty columns left out. Errors: a label that is no column or cannot be
/// learned, an estimator that does not fit the label.
Result<StartingExperiment> makeStartingExperiment(const TableFacts& facts);

} // namespace cannery::app
