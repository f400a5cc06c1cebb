// SPDX-License-Identifier: Apache-2.0
#include "core/data/dataset.h"

#include "core/base/catalog.h"
#include "core/base/check.h"
#include "core/base/memory_guard.h"
#include "core/data/data_errors.h"
#include "core/data/dataset_opening.h"
#include "core/data/pipeline/feature_maker.h"
#include "core/data/rows/row_splitter.h"
#include "core/data/sources/completed_source.h"
#include "core/data/sources/data_source_catalog.h"
#include "core/data/typing/column_settlement.h"
#include "core/data/typing/date_columns.h"

#include <algorithm>
#include <mutex>
#include <set>
#include <string_view>
#include <unordered_map>

namespace cannery::data {

namespace {

/// The name to report when memory runs out.
constexpr std::string_view kGuarded = "the rows of the table";

} // namespace

class Dataset::Impl
{
public:
    spec::Data data;
    DataPart part = DataPart::Train;
    bool isSplit = false; ///< this part is filtered out of the training source
    std::shared_ptr<const DataSource> source;
    std::vector<FeatureRecipe> recipes;
    std::vector<FeatureRecipe> labels;
    std::vector<FeatureInfo> infos;
    std::vector<FeatureInfo> parts; ///< columns that are only part of those

    static Result<Dataset> make(const spec::Data& data, DataPart part, bool isSplit,
                                std::shared_ptr<const DataSource> source)
    {
        auto impl = std::make_unique<Impl>();
        impl->data = data;
        impl->part = part;
        impl->isSplit = isSplit;
        impl->source = std::move(source);
        const TableSchema& schema = impl->source->schema();
        CANNERY_TRY_ASSIGN(impl->recipes, featureRecipes(data, schema));
        CANNERY_TRY_ASSIGN(impl->labels,
                           // Not required here, as rows to predict have no label. Who needs labels
                           // asks for them (LabelNeed).
                           labelRecipes(data, schema, impl->source->files().front(), false));
        for (const FeatureRecipe& recipe : impl->recipes) {
            impl->infos.push_back(infoOf(recipe, false));
        }
        for (const FeatureRecipe& recipe : impl->labels) {
            impl->infos.push_back(infoOf(recipe, true));
        }
        impl->addParts();
        return Dataset(std::move(impl));
    }

    static FeatureInfo infoOf(const FeatureRecipe& recipe, bool isLabel)
    {
        return {.name = recipe.name,
                .dtype = recipe.dtype,
                .shape = recipe.shape,
                .sparse = recipe.kind == FeatureRecipe::Kind::Split,
                .columns = recipe.columns,
                .isLabel = isLabel};
    }

    void addParts()
    {
        std::set<std::string> named;
        for (const FeatureInfo& info : infos) {
            named.insert(info.name);
        }
        const std::vector<std::string> ofLabels = labelColumns(data);
        for (const ColumnSchema& column : source->schema().columns) {
            // Columns that already are features of their own are found there.
            if (!named.contains(column.name)) {
                const bool isLabel =
                    std::find(ofLabels.begin(), ofLabels.end(), column.name) != ofLabels.end();
                parts.push_back(infoOf(plainRecipe(column), isLabel));
            }
        }
    }

    const FeatureInfo* find(const std::string& feature) const
    {
        for (const std::vector<FeatureInfo>* list : {&infos, &parts}) {
            // Features first: one that is made hides a column of its name.
            const auto found =
                std::find_if(list->begin(), list->end(),
                             [&](const FeatureInfo& info) { return info.name == feature; });
            if (found != list->end()) {
                return &*found;
            }
        }
        return nullptr;
    }

    Result<std::vector<FeatureRecipe>> wanted(const std::vector<std::string>& names) const
    {
        // No names: all features, without the labels.
        if (names.empty()) {
            return recipes;
        }
        // A map, since tables have thousands of columns.
        std::unordered_map<std::string_view, const FeatureRecipe*> byName;
        for (const FeatureRecipe& recipe : recipes) {
            byName.emplace(recipe.name, &recipe);
        }
        std::vector<FeatureRecipe> list;
        for (const std::string& feature : names) {
            // A made feature hides a column of the same name.
            if (const auto found = byName.find(feature); found != byName.end()) {
                list.push_back(*found->second);
            } else if (const ColumnSchema* column = source->schema().find(feature)) {
                list.push_back(plainRecipe(*column));
            } else {
                return fail(ErrorCode::NotFound, kNoSuchFeature, feature,
                            suggestion(feature, featureNames()));
            }
        }
        return list;
    }

    std::vector<std::string> featureNames() const
    {
        std::vector<std::string> names;
        for (const FeatureRecipe& recipe : recipes) {
            names.push_back(recipe.name);
        }
        return names;
    }

    /// Starts reading the rows of some parts of a split source, or of this part.
    Result<PartReader> readParts(ChunkRequest request, std::vector<DataPart> parts) const
    {
        if (!isSplit) {
            CANNERY_TRY_ASSIGN(std::unique_ptr<ChunkStream> stream, source->read(request));
            return PartReader(std::move(stream), part);
        }
        const std::vector<std::string> labelNames = labelColumns(data);
        // Rows are dealt out by the class, so that each part has its share.
        CANNERY_TRY_ASSIGN(
            RowSplitter splitter,
            RowSplitter::create(data.split(), labelNames.empty() ? "" : labelNames.front(),
                                dateNotationOf(data, data.split().by_time().column())));
        if (!splitter.column().empty()) {
            // Under another name, as the column may be a feature as well.
            request.columns.push_back(
                {.column = splitter.column(), .dtype = DType::String, .as = kSplitColumn});
        }
        BadSplitRows badRows{.files = source->files(),
                             .column = splitter.column(),
                             .areSkipped = data.bad_rows() == spec::BadRows::SKIP};
        // An error about a value that is not a time names its line.
        request.keepLines = request.keepLines || splitter.readsTimes();
        request.maxRows = 0; // counts rows of the file; this part has fewer
        CANNERY_TRY_ASSIGN(std::unique_ptr<ChunkStream> stream, source->read(request));
        return PartReader(std::move(stream), std::move(splitter), std::move(parts),
                          std::move(badRows));
    }

    /// The rows to make features of, and what makes them.
    struct Making
    {
        PartReader rows;
        FeatureStreamOptions options;
    };

    Result<Making> startMaking(const FeatureRequest& request, std::vector<DataPart> parts) const
    {
        CANNERY_TRY_ASSIGN(const std::vector<FeatureRecipe> features, wanted(request.features));
        std::vector<FeatureRecipe> wantedLabels;
        if (request.labels == LabelNeed::Required) {
            // Missing labels are an error here, with the name of the file.
            CANNERY_TRY_ASSIGN(wantedLabels,
                               labelRecipes(data, source->schema(), source->files().front(), true));
        } else if (request.labels == LabelNeed::Optional) {
            wantedLabels = labels;
        }
        CANNERY_TRY_ASSIGN(
            FeatureMaker maker,
            FeatureMaker::create(features, wantedLabels, source->schema(), source->files()));
        if (request.keepsUnusable) {
            maker.keepUnusable();
        }
        CANNERY_TRY_ASSIGN(PartReader rows, readParts({.columns = maker.columns(),
                                                       .keepLines = true,
                                                       .maxRefused = request.maxRefused,
                                                       .fingerprint = request.fingerprint,
                                                       // Counted by the stream in rows of this
                                                       // part; a split source is not limited by it.
                                                       .threads = request.threads,
                                                       .maxRows = request.maxRows},
                                                      std::move(parts)));
        return Making{
            .rows = std::move(rows),
            .options = {.maker = std::move(maker),
                        .threads = request.threads,
                        .maxRows = request.maxRows,
                        // `this` stays in place when the Dataset is moved, and must outlive the
                        // stream.
                        .emptyError = [this](DataPart empty) { return emptyError(empty); },
                        .ended =
                            [this](std::optional<std::string> fingerprint) {
                                remember(std::move(fingerprint));
                            }}};
    }

    Error emptyError(DataPart empty) const
    {
        // Which part is empty matters: the split can be changed for it.
        return isSplit ? error(ErrorCode::InvalidArgument, kEmptyPart,
                               empty == DataPart::Train ? "training" : "evaluation")
                       : error(ErrorCode::InvalidArgument, kNoRows, source->files().front());
    }

    /// What a pass over all rows has found.
    void remember(std::optional<std::string> fingerprint) const
    {
        // Streams have a thread each and may end at the same time.
        const std::lock_guard lock(m_mutex);
        if (fingerprint) {
            m_fingerprint = std::move(fingerprint);
        }
    }

    Result<std::string> fingerprint() const
    {
        {
            // Released before the source reads the files, which may take minutes.
            const std::lock_guard lock(m_mutex);
            if (m_fingerprint) {
                return *m_fingerprint;
            }
        }
        return source->fingerprint();
    }

private:
    mutable std::mutex m_mutex;
    mutable std::optional<std::string> m_fingerprint;
};

Dataset::Dataset(std::unique_ptr<Impl> impl) : m_impl(std::move(impl)) {}
Dataset::Dataset(Dataset&&) noexcept = default;
Dataset& Dataset::operator=(Dataset&&) noexcept = default;
Dataset::~Dataset() = default;

Result<Dataset> Dataset::open(const spec::Data& data, const std::string& folder, DataPart part,
                              ColumnKinds kinds)
{
    return guardMemory(kGuarded, [&]() -> Result<Dataset> {
        if (data.has_eval() && data.has_split()) {
            return fail(ErrorCode::InvalidArgument, kEvalAndSplit);
        }
        if (part == DataPart::Eval && data.has_eval()) {
            CANNERY_TRY_ASSIGN(std::unique_ptr<DataSource> source,
                               openLikeTraining(data.eval(), folder, data, folder));
            // Dates of the evaluation are read as those of the training: a short file might not
            // show which of day and month comes first.
            CANNERY_TRY_ASSIGN(const spec::Data stated, withNotationsOfTraining(data, folder));
            return Impl::make(stated, part, false, std::move(source));
        }
        if (part == DataPart::Eval && !data.has_split()) {
            return fail(ErrorCode::FailedPrecondition, kNoEval);
        }
        // The split, if there is one, is of the training source.
        CANNERY_TRY_ASSIGN(std::unique_ptr<DataSource> source, openTraining(data, folder, kinds));
        return of(data, std::move(source), part);
    });
}

Result<Dataset> Dataset::openEval(const spec::Data& data, const std::string& folder,
                                  const Dataset& train)
{
    return guardMemory(kGuarded, [&]() -> Result<Dataset> {
        if (data.has_eval() && data.has_split()) {
            return fail(ErrorCode::InvalidArgument, kEvalAndSplit);
        }
        if (data.has_split()) {
            // The training source is shared: its schema need not be inferred twice.
            return of(withDateNotationsOf(data, train.m_impl->data), train.m_impl->source,
                      DataPart::Eval);
        }
        if (!data.has_eval()) {
            return fail(ErrorCode::FailedPrecondition, kNoEval);
        }
        SourceOptions options = optionsOf(data, folder);
        // Types of columns are those of training, whatever the values of a short file look like.
        options.like = &train.schema();
        spec::DataSource message = data.eval();
        // What was detected in the training files (such as a delimiter) holds for files of the same
        // kind.
        if (message.kind_case() == data.train().kind_case()) {
            train.source().pin(message);
        }
        CANNERY_TRY_ASSIGN(std::unique_ptr<DataSource> source, openDataSource(message, options));
        return Impl::make(withDateNotationsOf(data, train.m_impl->data), DataPart::Eval, false,
                          std::move(source));
    });
}

Result<Dataset> Dataset::of(const spec::Data& data, std::shared_ptr<const DataSource> source,
                            DataPart part)
{
    return guardMemory(kGuarded, [&]() -> Result<Dataset> {
        CANNERY_TRY_ASSIGN(const spec::Data stated, withDateNotations(data, *source));
        return Impl::make(stated, part, data.has_split(), std::move(source));
    });
}

Result<Dataset> Dataset::openFiles(const spec::Data& data, const std::string& folder,
                                   const std::vector<std::string>& files)
{
    return guardMemory(kGuarded, [&]() -> Result<Dataset> {
        // An empty folder: names of files that a user gives are relative to the current one.
        CANNERY_TRY_ASSIGN(std::unique_ptr<DataSource> opened,
                           openLikeTraining(withFiles(data.train(), files), "", data, folder));
        CANNERY_TRY_ASSIGN(const spec::Data stated, withNotationsOfTraining(data, folder));
        return Impl::make(stated, DataPart::Eval, false, std::move(opened));
    });
}

Result<Dataset> Dataset::openRows(const spec::Data& data, const std::string& folder,
                                  const std::vector<std::string>& files,
                                  std::vector<std::string>& absent)
{
    return guardMemory(kGuarded, [&]() -> Result<Dataset> {
        // Whatever the experiment sets: each row to predict gets an answer or an error of its own,
        // so a bad one must not end the reading.
        spec::Data tolerant = data;
        tolerant.set_bad_rows(spec::BadRows::SKIP);
        CANNERY_TRY_ASSIGN(
            std::unique_ptr<DataSource> opened,
            openRowsToPredict(withFiles(data.train(), files), tolerant, folder, absent));
        CANNERY_TRY_ASSIGN(const spec::Data stated, withNotationsOfTraining(tolerant, folder));
        return Impl::make(stated, DataPart::Eval, false, std::move(opened));
    });
}

const TableSchema& Dataset::schema() const
{
    return m_impl->source->schema();
}

const std::vector<std::string>& Dataset::files() const
{
    return m_impl->source->files();
}

const DataSource& Dataset::source() const
{
    return *m_impl->source;
}

const std::vector<FeatureInfo>& Dataset::features() const
{
    return m_impl->infos;
}

const FeatureInfo* Dataset::find(const std::string& feature) const
{
    return m_impl->find(feature);
}

bool Dataset::isSplit() const
{
    return m_impl->isSplit;
}

bool Dataset::hasLabels() const
{
    return !m_impl->labels.empty();
}

Result<std::unique_ptr<FeatureStream>> Dataset::read(const FeatureRequest& request) const
{
    return guardMemory(kGuarded, [&]() -> Result<std::unique_ptr<FeatureStream>> {
        CANNERY_TRY_ASSIGN(Impl::Making making, m_impl->startMaking(request, {m_impl->part}));
        return makeFeatures(std::move(making.rows), std::move(making.options));
    });
}

Result<std::unique_ptr<PartStream>> Dataset::readParts(const FeatureRequest& request) const
{
    return guardMemory(kGuarded, [&]() -> Result<std::unique_ptr<PartStream>> {
        CANNERY_CHECK(m_impl->isSplit);
        CANNERY_TRY_ASSIGN(Impl::Making making,
                           m_impl->startMaking(request, {DataPart::Train, DataPart::Eval}));
        return makeFeaturesOfParts(std::move(making.rows), std::move(making.options));
    });
}

Result<TableStatistics> Dataset::statistics(const std::vector<std::string>& columns,
                                            const LentThreads& threads, const RowWatcher& watcher,
                                            const StatisticsOptions& options) const
{
    return guardMemory(kGuarded, [&]() -> Result<TableStatistics> {
        // Every byte is read anyway, so the fingerprint is taken along.
        ChunkRequest request{.fingerprint = true, .threads = threads};
        for (const std::string& column : columns.empty() ? schema().names() : columns) {
            request.columns.push_back({.column = column});
        }
        std::vector<DataPart> parts{m_impl->part};
        // A watcher sees the rows of both parts; the statistics are of this one alone.
        if (watcher && m_impl->isSplit) {
            parts = {DataPart::Train, DataPart::Eval};
        }
        CANNERY_TRY_ASSIGN(PartReader reader,
                           m_impl->readParts(std::move(request), std::move(parts)));
        StatisticsCollector collector(options);
        std::uint64_t rows = 0;
        std::uint64_t otherRows = 0;
        while (true) {
            CANNERY_TRY_ASSIGN(std::optional<PartChunk> next, reader.next());
            if (!next) {
                // The stream is over, and not interrupted: the statistics are complete.
                break;
            }
            const DataPart part = next->part();
            const storage::TableChunk chunk = std::move(*next).take();
            // Both parts are counted, for a report about the split.
            (part == m_impl->part ? rows : otherRows) += chunk.rows;
            if (watcher) {
                CANNERY_TRY(watcher(part, chunk));
            }
            if (part == m_impl->part) {
                CANNERY_TRY(collector.add(chunk, threads));
            }
        }
        // The pass has read all bytes anyway, so the fingerprint costs nothing more.
        m_impl->remember(reader.fingerprint());
        if (rows == 0) {
            return tl::make_unexpected(m_impl->emptyError(m_impl->part));
        }
        TableStatistics statistics = collector.finish();
        statistics.otherRows = otherRows + reader.report().otherRows;
        return statistics;
    });
}

std::vector<spec::Column> Dataset::resolvedColumns() const
{
    std::vector<spec::Column> columns;
    for (const ColumnSchema& known : schema().columns) {
        spec::Column& column = columns.emplace_back();
        column.set_name(known.name);
        // The kinds of both enumerations have the same numbers.
        column.set_dtype(static_cast<spec::DataType::Name>(known.dtype));
        if (known.defaultValue) {
            column.set_default_value(*known.defaultValue);
        }
        for (const std::string& token : known.missingTokens) {
            column.add_missing_token(token);
        }
        // A notation that was found out is stated, so that later rows are read alike.
        if (const auto notation = statedDateNotation(m_impl->data, known.name)) {
            column.set_date_notation(*notation);
        }
        describeNotation(known.notation, schema().decimalComma ? ',' : '.', column);
    }
    return columns;
}

Result<std::string> Dataset::fingerprint() const
{
    return guardMemory(kGuarded, [&] { return m_impl->fingerprint(); });
}

} // namespace cannery::data
