// SPDX-License-Identifier: Apache-2.0
#include "core/train/exporters/verified_export.h"

#include "core/data/dataset.h"
#include "core/export/edge_rows.h"
#include "core/features/encoded_dataset.h"
#include "core/features/feature_emitter.h"
#include "core/features/usable_rows.h"
#include "core/train/exporters/model_export.h"
#include "storage/io/files.h"
#include "storage/tf/graphs/version_folders.h"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <filesystem>
#include <span>
#include <unistd.h>

namespace cannery::train {
namespace {

namespace fs = std::filesystem;

constexpr ErrorKind kNotMoved{"export.not_moved", "{} could not be renamed to {}: {}."};

constexpr std::int64_t kEdgeRows = 128;

/// The first rows of the data with the model's predictions for them.
struct Predicted
{
    data::FeatureBatch rows;
    std::vector<heads::Prediction> predictions;
};

/// Other rows cannot be served, or have no label.
constexpr features::RowPolicy kUsableOnly{.skipsBad = true, .skipsUnlabelled = true};

void keepFirst(data::FeatureBatch& batch, std::int64_t count)
{
    batch.rowCount = std::min(batch.rowCount, count);
}

/// With `edges`: of these rows, but with numbers next to boundaries.
Result<Predicted> predictRows(OpenedModel& model, std::vector<std::string> names,
                              std::int64_t count, std::span<const features::RawEdges> edges)
{
    CANNERY_TRY_ASSIGN(
        const data::Dataset dataset,
        data::Dataset::open(model.experiment.data(), model.folder, data::DataPart::Train));
    // What a server can be sent beyond what the model reads, as far as the table has it.
    std::erase_if(names, [&](const std::string& name) {
        return dataset.find(name) == nullptr && dataset.schema().find(name) == nullptr;
    });
    CANNERY_TRY_ASSIGN(const std::unique_ptr<data::FeatureStream> stream,
                       dataset.read({.features = std::move(names),
                                     .labels = data::LabelNeed::None,
                                     .maxRows = static_cast<std::uint64_t>(count),
                                     .keepsUnusable = true}));
    CANNERY_TRY_ASSIGN(std::optional<data::FeatureBatch> batch, stream->next());
    Predicted predicted;
    if (!batch) {
        return predicted;
    }
    // Replacing numbers can need fewer rows than were asked for.
    if (!edges.empty()) {
        count = std::min(count, exporting::putEdges(edges, *batch));
    }
    features::EncodedRows encoded;
    // Rows are dropped from both, so that the predictions belong to the rows that are sent.
    CANNERY_TRY(features::encodeUsable(model.encoder, kUsableOnly, *batch, features::Labels::None,
                                       dataset.files(), encoded));
    if (encoded.rowCount == 0) {
        return predicted;
    }
    features::EncodedDataset rows(model.encoder.layout(), {});
    CANNERY_TRY(rows.append(encoded));
    // Boundaries can take more rows than were wanted.
    keepFirst(*batch, count);
    CANNERY_TRY(rows.gatherRange(0, batch->rowCount, encoded));
    model.model->predict(encoded, predicted.predictions);
    predicted.rows = std::move(*batch);
    return predicted;
}

bool takesEverything(const OpenedModel& model, const ModelExportRequest& request)
{
    const std::vector<std::string>& given = request.rawFeatures;
    // A receiver without one of the model's inputs fills in a default: its answer is another.
    return request.receiver != spec::Receiver::raw || given.empty() ||
           std::all_of(model.encoder.inputKeys().begin(), model.encoder.inputKeys().end(),
                       [&](const std::string& key) {
                           return std::find(given.begin(), given.end(), key) != given.end();
                       });
}

/// The raw features that a server can be sent.
std::vector<std::string> servedFeatures(const OpenedModel& model, const ModelExportRequest& request)
{
    std::vector<std::string> names = model.encoder.inputKeys();
    for (const std::string& name : request.rawFeatures) {
        if (std::find(names.begin(), names.end(), name) == names.end()) {
            names.push_back(name);
        }
    }
    return names;
}

Result<exporting::Verification> verify(OpenedModel& model, const ModelExportRequest& request,
                                       const std::string& folder, std::int64_t rows,
                                       std::span<const features::RawEdges> edges)
{
    if (!takesEverything(model, request)) {
        return exporting::Verification{};
    }
    const Result<Predicted> predicted =
        predictRows(model, servedFeatures(model, request), rows, edges);
    if (!predicted || predicted->rows.rowCount == 0) {
        return exporting::Verification{}; // the data has moved; the model is intact nevertheless
    }
    return exporting::verifySavedModel(
        folder, {.rows = predicted->rows,
                 .expected = predicted->predictions,
                 .receiver = request.receiver == spec::Receiver::raw ? features::Receiver::Raw
                                                                     : features::Receiver::Parsing,
                 .areEdges = !edges.empty(),
                 .numbers = features::numberFeatures(model.encoder)});
}

/// The same for rows with numbers next to the boundaries of buckets and the splits of trees, where
/// the last bit decides.
Result<exporting::Verification> verifyEdges(OpenedModel& model, const ModelExportRequest& request,
                                            const std::string& folder)
{
    // Models without boundaries have nothing to compare here.
    CANNERY_TRY_ASSIGN(const std::vector<features::RawEdges> edges,
                       exporting::edgesOf(model.encoder, model.lowered, folder));
    return edges.empty() ? exporting::Verification{}
                         : verify(model, request, folder, kEdgeRows, edges);
}

/// Compares the evaluation graph with the model, over the first training rows. Rows that can no
/// longer be read are no reason to fail.
Result<std::int64_t> verifyLoss(OpenedModel& model, const std::string& folder, std::int64_t count)
{
    const Result<data::Dataset> dataset =
        data::Dataset::open(model.experiment.data(), model.folder, data::DataPart::Train);
    if (!dataset) {
        return 0;
    }
    const Result<std::unique_ptr<data::FeatureStream>> stream =
        dataset->read({.features = model.encoder.featureKeys(),
                       .labels = data::LabelNeed::Required,
                       .maxRows = static_cast<std::uint64_t>(count),
                       .keepsUnusable = true});
    if (!stream) {
        return 0;
    }
    Result<std::optional<data::FeatureBatch>> batch = (*stream)->next();
    if (!batch || !*batch) {
        return 0;
    }
    features::EncodedRows encoded;
    if (!features::encodeUsable(model.encoder, kUsableOnly, **batch, features::Labels::Needed,
                                dataset->files(), encoded) ||
        encoded.rowCount == 0) {
        return 0;
    }
    // A label may be written in several ways, and the graph knows only the one of the vocabulary.
    model.encoder.spellLabels(**batch);
    features::EncodedDataset rows(model.encoder.layout(), {});
    CANNERY_TRY(rows.append(encoded));
    keepFirst(**batch, count);
    CANNERY_TRY(rows.gatherRange(0, (*batch)->rowCount, encoded));
    // The head's own metrics: those of the experiment are not part of the graph.
    CANNERY_TRY(model.model->beginEvaluation({}));
    model.model->evaluate(encoded);
    const std::vector<metrics::MetricValue> expected = model.model->evaluationResults();
    return exporting::verifyEvaluation(folder,
                                       {.rows = **batch,
                                        .expected = expected,
                                        .numbers = features::numberFeatures(model.encoder)});
}

/// The number that the folder already has, or one above all existing.
Result<std::string> publish(const std::string& folder, const std::string& base)
{
    // The name was chosen by the first export, and may be taken by now.
    const std::int64_t wanted = storage::versionOf(storage::baseName(folder)).value_or(0);
    while (true) {
        CANNERY_TRY_ASSIGN(const std::int64_t version, storage::nextVersion(base, wanted));
        const std::string target = storage::joinPath(base, storage::versionName(version));
        std::error_code failure;
        fs::rename(folder, target, failure);
        if (!failure) {
            // A rename is only durable with its folder.
            CANNERY_TRY(storage::realFileSystem().syncFolder(base));
            return target;
        }
        // Another process has published the same number meanwhile: take the next.
        if (failure != std::errc::directory_not_empty && failure != std::errc::file_exists) {
            return fail(ErrorCode::Internal, kNotMoved, folder, target, failure.message());
        }
    }
}

constexpr std::string_view kAside = "temp-verify-";

/// Folders left behind by processes that were killed while exporting.
void removeLeftovers(const std::string& base)
{
    const Result<std::vector<std::string>> names = storage::listFolder(base);
    for (const std::string& name : names.value_or(std::vector<std::string>())) {
        if (!name.starts_with(kAside)) {
            continue;
        }
        const long process = std::strtol(name.c_str() + kAside.size(), nullptr, 10);
        // Signal 0 only asks: a process that does not exist has left its folder behind.
        if (process > 0 && kill(static_cast<pid_t>(process), 0) != 0 && errno == ESRCH) {
            (void)storage::removeTree(storage::joinPath(base, name));
        }
    }
}

/// A folder next to the exports, deleted with this object. Servers ignore names that are not
/// numbers.
class FolderAside
{
public:
    explicit FolderAside(const std::string& base)
        : m_base(base), m_isNewBase(!storage::exists(base)),
          m_path(storage::joinPath(base, fmt::format("{}{}", kAside, getpid())))
    {
        removeLeftovers(base);
    }
    FolderAside(const FolderAside&) = delete;
    FolderAside& operator=(const FolderAside&) = delete;
    ~FolderAside()
    {
        // Another export may be there by now.
        (void)storage::removeTree(m_path); // follows no links, unlike remove_all()
        std::error_code ignored;
        if (m_isNewBase) {
            fs::remove(m_base, ignored); // only if it is empty
        }
    }

    const std::string& path() const { return m_path; }

private:
    std::string m_base;
    bool m_isNewBase;
    std::string m_path;
};

} // namespace

Result<VerifiedExport> exportVerified(OpenedModel& model, const ModelExportRequest& request,
                                      const VerifiedExportOptions& options)
{
    const FolderAside aside(request.exportBase);
    ModelExportRequest first = request;
    // Written aside first: servers load what appears under a number, and only a verified export
    // may.
    first.exportBase = aside.path();
    CANNERY_TRY_ASSIGN(const std::string folder,
                       exportCheckpoint(model.encoder, model.lowered, first, model.folder));
    // Callers may look at, or damage, what is going to be verified.
    if (options.written) {
        options.written(folder);
    }
    VerifiedExport result;
    CANNERY_TRY_ASSIGN(result.verification, verify(model, request, folder, options.rows, {}));
    CANNERY_TRY_ASSIGN(result.edges, verifyEdges(model, request, folder));
    // Graphs for training and evaluation exist only on request.
    if (request.modes != exporting::ExportModes::Serving) {
        CANNERY_TRY_ASSIGN(result.verifiedMetrics, verifyLoss(model, folder, options.rows));
    }
    CANNERY_TRY_ASSIGN(result.path, publish(folder, request.exportBase));
    return result;
}

} // namespace cannery::train
