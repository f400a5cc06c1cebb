// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/lent_threads.h"
#include "core/base/result.h"
#include "core/base/shape.h"
#include "core/data/pipeline/feature_stream.h"
#include "core/data/sources/data_source.h"
#include "core/data/statistics.h"
#include "core/spec/data.pb.h"

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace cannery::data {

/// Sees the rows of a pass in file order. An error ends it.
using RowWatcher = std::function<Result<void>(DataPart, const storage::TableChunk&)>;

enum class LabelNeed
{
    Required, ///< a missing label column is an error
    Optional, ///< rows have labels if the file has the columns
    None,
};

/// A raw feature of the dataset: what an input_fn's dictionary would hold.
struct FeatureInfo
{
    std::string name;
    DType dtype = DType::String;
    Shape shape{1}; ///< of one row, when dense
    bool sparse = false;
    std::vector<std::string> columns; ///< physical columns it is made from
    bool isLabel = false;             ///< the label's column: not a feature unless requested
};

struct FeatureRequest
{
    std::vector<std::string> features; ///< raw features by name; all but the labels if empty
    LabelNeed labels = LabelNeed::Required;
    LentThreads threads;       ///< used for reading until the last next()
    bool fingerprint = false;  ///< compute Dataset::fingerprint() while reading
    std::uint64_t maxRows = 0; ///< stop after about this many rows; all if 0
    /// Rows of which a feature cannot be made are noted in their batch; otherwise they are an
    /// error.
    bool keepsUnusable = false;
    std::size_t maxRefused = 100; ///< as in ChunkRequest
};

/// The rows that an experiment trains or evaluates on, as raw features. Immutable, thread-safe.
class Dataset
{
public:
    /// Opens a part of an experiment's data, for any kind of source in the catalog. `folder`: base
    /// of its relative paths. The schema is always that of the training source, so both parts are
    /// read alike. `kinds`: of its columns; reading needs none.
    static Result<Dataset> open(const spec::Data& data, const std::string& folder, DataPart part,
                                ColumnKinds kinds = ColumnKinds::Guessed);

    /// The evaluation part of data whose training part is already open. What the training part
    /// knows about the columns and about files that both share is not read again.
    static Result<Dataset> openEval(const spec::Data& data, const std::string& folder,
                                    const Dataset& train);

    /// A part of an open source; `data` says what its features and labels are.
    static Result<Dataset> of(const spec::Data& data, std::shared_ptr<const DataSource> source,
                              DataPart part);

    /// Opens other files (to evaluate or predict), read as the experiment's training data is. The
    /// label columns may be absent. `files` are paths or globs relative to the working folder.
    static Result<Dataset> openFiles(const spec::Data& data, const std::string& folder,
                                     const std::vector<std::string>& files);

    /// Opens rows to predict in the same way. What the experiment says of bad rows does not count:
    /// they are left out, and FeatureStream::refused() has them. A column of the training data that
    /// the files lack, other than those of the label, is missing in every row; `absent` gets their
    /// names.
    static Result<Dataset> openRows(const spec::Data& data, const std::string& folder,
                                    const std::vector<std::string>& files,
                                    std::vector<std::string>& absent);

    Dataset(Dataset&&) noexcept;
    Dataset& operator=(Dataset&&) noexcept;
    ~Dataset();

    const TableSchema& schema() const;
    const std::vector<std::string>& files() const;
    const DataSource& source() const;
    /// All raw features and labels: derived features, then plain columns in file order.
    const std::vector<FeatureInfo>& features() const;
    const FeatureInfo* find(const std::string& feature) const; ///< columns within features too
    bool hasLabels() const;
    /// Whether data.split cuts this part and the other one out of the same rows.
    bool isSplit() const;

    /// Starts reading. Errors: an unknown feature (with the nearest name), an absent label.
    Result<std::unique_ptr<FeatureStream>> read(const FeatureRequest& request) const;
    /// The same of both parts by one pass; only of a data set that isSplit().
    Result<std::unique_ptr<PartStream>> readParts(const FeatureRequest& request) const;

    /// Statistics of physical columns over the rows of this part; every column if empty. Also
    /// computes the fingerprint. `watcher` sees these columns of every row, also of the other part
    /// of a split table.
    Result<TableStatistics> statistics(const std::vector<std::string>& columns,
                                       const LentThreads& threads = {},
                                       const RowWatcher& watcher = {},
                                       const StatisticsOptions& options = {}) const;

    /// `data.column` with the inferred dtypes, tokens and defaults, for freezing: a run that has
    /// them always reads its files in the same way.
    std::vector<spec::Column> resolvedColumns() const;

    /// A hash of the content of all files of this part, 16 hexadecimal digits: from an earlier pass
    /// if one computed it, otherwise from a separate pass.
    Result<std::string> fingerprint() const;

private:
    class Impl;
    explicit Dataset(std::unique_ptr<Impl> impl);
    std::unique_ptr<Impl> m_impl;
};

} // namespace cannery::data
