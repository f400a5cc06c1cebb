// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"
#include "core/base/shape.h"
#include "core/data/data_source.h"
#include "core/data/feature_batch.h"
#include "core/data/statistics.h"
#include "core/spec/data.pb.h"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace cannery::data {

enum class LabelNeed
{
    Required, ///< a missing label column is an error
    Optional, ///< rows have labels when the file has the columns
    None,
};

/// What a raw feature of the data set is: what an input_fn's dictionary would hold.
struct FeatureInfo
{
    std::string name;
    DType dtype = DType::String;
    Shape shape{1}; ///< of one row, when dense
    bool sparse = false;
    std::vector<std::string> columns; ///< physical columns it is made from
    bool isLabel = false;             ///< the label's column: not a feature, unless asked for
};

struct FeatureRequest
{
    std::vector<std::string> features; ///< raw features by name; empty: all but the labels
    LabelNeed labels = LabelNeed::Required;
    std::size_t threads = 1;
    std::uint64_t maxRows = 0; ///< stop after about so many rows; 0: all
};

/// Raw features in file order, chunk by chunk, with bounded memory. One thread. Must not outlive
/// its Dataset.
class FeatureStream
{
public:
    virtual ~FeatureStream() = default;

    /// The next rows (at least one), or nothing at the end. A source without any row is an error.
    virtual Result<std::optional<FeatureBatch>> next() = 0;
    virtual ReadReport report() const = 0;
};

/// The rows that an experiment trains or evaluates on, as raw features. Immutable, any thread.
class Dataset
{
public:
    /// Opens a part of an experiment's data. `folder`: where its relative paths begin. The schema
    /// is always that of the training source, so that both parts read alike.
    static Result<Dataset> open(const spec::Data& data, const std::string& folder, DataPart part);

    /// Opens other files (to evaluate or predict) as the experiment's training data is read. The
    /// label columns may be absent. `files` are paths or globs relative to the working folder.
    static Result<Dataset> openFiles(const spec::Data& data, const std::string& folder,
                                     const std::vector<std::string>& files);

    Dataset(Dataset&&) noexcept;
    Dataset& operator=(Dataset&&) noexcept;
    ~Dataset();

    const TableSchema& schema() const;
    const std::vector<std::string>& files() const;
    const DataSource& source() const;
    /// All raw features and labels: made ones, then plain columns in file order.
    const std::vector<FeatureInfo>& features() const;
    const FeatureInfo* find(const std::string& feature) const;
    bool hasLabels() const;

    /// Starts reading. Errors: an unknown feature (with the nearest name), an absent label.
    Result<std::unique_ptr<FeatureStream>> read(const FeatureRequest& request) const;

    /// Statistics of physical columns over the rows of this part; empty: every column.
    Result<TableStatistics> statistics(const std::vector<std::string>& columns,
                                       std::size_t threads = 1) const;

    /// `data.column` with the dtypes, tokens and defaults that were inferred, for freezing: a run
    /// with these reads its files the same way for ever.
    std::vector<spec::Column> resolvedColumns() const;

    /// A hash of the content of all files of this part, 16 hexadecimal digits.
    Result<std::string> fingerprint() const;

private:
    class Impl;
    explicit Dataset(std::unique_ptr<Impl> impl);
    std::unique_ptr<Impl> m_impl;
};

} // namespace cannery::data
