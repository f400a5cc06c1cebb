// SPDX-License-Identifier: Apache-2.0
#include "tests/golden/case_export.h"

#include "core/data/dataset.h"
#include "core/export/saved_model_exporter.h"
#include "core/export/verification.h"
#include "core/spec/experiment.pb.h"

#include <QTemporaryDir>

#include <deque>

namespace cannery::tests {

namespace {

constexpr std::int64_t kRows = 20;

Result<data::FeatureBatch> rowsOf(const GoldenCase& golden, const features::FeatureEncoder& encoder)
{
    CANNERY_TRY_ASSIGN(const data::Dataset dataset,
                       data::Dataset::open(encoder.experiment().data(), golden.folder.string(),
                                           data::DataPart::Eval));
    CANNERY_TRY_ASSIGN(
        const std::unique_ptr<data::FeatureStream> stream,
        dataset.read({.features = encoder.inputKeys(), .labels = data::LabelNeed::None}));
    CANNERY_TRY_ASSIGN(std::optional<data::FeatureBatch> batch, stream->next());
    data::FeatureBatch rows = batch ? std::move(*batch) : data::FeatureBatch();
    rows.rowCount = std::min(rows.rowCount, kRows);
    return rows;
}

Result<exporting::Verification> exportAndVerify(const CaseRun& run, const data::FeatureBatch& rows,
                                                features::Receiver receiver,
                                                const std::string& base)
{
    const std::vector<plan::StateTensor> state = run.model->state();
    std::vector<storage::NamedTensor> tensors;
    std::deque<std::string> texts;
    for (const plan::StateTensor& tensor : state) {
        storage::TensorView view;
        view.dtype = tensor.dtype;
        view.shape = tensor.shape;
        view.bytes = tensor.bytes;
        if (tensor.dtype == DType::String) {
            view.strings = {&texts.emplace_back(reinterpret_cast<const char*>(tensor.bytes.data()),
                                                tensor.bytes.size()),
                            1};
        }
        tensors.push_back({tensor.name, view});
    }
    CANNERY_TRY_ASSIGN(const std::string folder,
                       exporting::exportSavedModel({.encoder = *run.encoder,
                                                    .lowered = run.lowered,
                                                    .receiver = {.receiver = receiver},
                                                    .tensors = tensors},
                                                   base));
    return exporting::verifySavedModel(folder, {.rows = rows,
                                                .expected = run.predictions,
                                                .receiver = receiver,
                                                .numbers = features::numberFeatures(*run.encoder)});
}

} // namespace

std::vector<std::string> compareExports(const GoldenCase& golden, const CaseRun& run)
{
    const QTemporaryDir folder;
    const Result<data::FeatureBatch> rows = rowsOf(golden, *run.encoder);
    if (!rows) {
        return {rows.error().message()};
    }
    std::vector<std::string> sentences;
    for (const auto receiver : {features::Receiver::Parsing, features::Receiver::Raw}) {
        if (receiver == features::Receiver::Raw && run.encoder->inputKeys().empty()) {
            continue; // a raw receiver needs a feature
        }
        const Result<exporting::Verification> verified =
            exportAndVerify(run, *rows, receiver, folder.path().toStdString());
        if (!verified) {
            sentences.push_back(verified.error().message());
        } else if (verified->rows == 0) {
            sentences.push_back("No row of the export was compared.");
        }
    }
    return sentences;
}

} // namespace cannery::tests
