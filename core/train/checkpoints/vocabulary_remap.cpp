// SPDX-License-Identifier: Apache-2.0
#include "core/train/checkpoints/vocabulary_remap.h"

#include "core/features/vocabulary.h"
#include "core/graph/initializers.h"
#include "core/plan/weights/initial_values.h"
#include "core/spec/experiment_file.h"
#include "storage/io/files.h"

#include <algorithm>

namespace cannery::train {
namespace {

constexpr ErrorKind kVocabulary{"train.warm_start_vocabulary",
                                "The vocabulary {} of the warm start {}."};
constexpr ErrorKind kVocabularyShape{
    "train.warm_start_words",
    "The warm start cannot move {} by words: it is {} here and {} in the checkpoint, with {} words "
    "and {} unknown buckets along axis {}; correct new_vocab_size and num_oov_buckets."};

/// The first `limit` words of a file, one per line; all if the limit is negative.
Result<features::TextVocabulary> readWords(const std::string& path, std::int64_t limit)
{
    Result<std::string> text = storage::readWholeFile(path);
    if (!text) {
        return tl::make_unexpected(std::move(text).error().with("warm starting"));
    }
    features::TextVocabulary words;
    for (std::size_t begin = 0; begin < text->size() && (limit < 0 || words.size() < limit);) {
        const std::size_t end = std::min(text->find('\n', begin), text->size());
        std::string_view word(text->data() + begin, end - begin);
        // Files from Windows end their lines with both characters.
        if (word.ends_with('\r')) {
            word.remove_suffix(1);
        }
        // A word that occurs twice would leave open which row it has.
        if (!words.add(word)) {
            return fail(ErrorCode::InvalidArgument, kVocabulary, path,
                        fmt::format("has the word '{}' twice", word));
        }
        begin = end + 1;
    }
    // The variable was made for exactly that many words.
    if (limit >= 0 && words.size() < limit) {
        return fail(ErrorCode::InvalidArgument, kVocabulary, path,
                    fmt::format("has only {} words, not {}", words.size(), limit));
    }
    return words;
}

/// A tensor seen as [outer, axis, inner].
struct AxisView
{
    std::int64_t outer = 1;
    std::int64_t axis = 0;
    std::int64_t inner = 1;

    static AxisView of(const Shape& shape, std::size_t axis)
    {
        AxisView view;
        for (std::size_t i = 0; i < shape.dims.size(); ++i) {
            if (i == axis) {
                view.axis = shape.dims[i];
            } else if (i < axis) {
                view.outer *= shape.dims[i];
            } else {
                view.inner *= shape.dims[i];
            }
        }
        return view;
    }
};

Result<void> drawBackup(const spec::WarmStartVocabulary& info, const plan::StateTensor& variable,
                        std::uint64_t seed, std::span<float> values)
{
    // Words that the old vocabulary lacks keep what is drawn here.
    graph::Variable backup{.name = variable.name, .shape = variable.shape};
    // Zeros, as in TensorFlow, if no initializer is named.
    backup.initializer = info.has_backup_initializer() ? info.backup_initializer() : graph::zeros();
    CANNERY_TRY(graph::checkInitializer(backup.initializer, backup.shape));
    plan::drawInitialValues(backup, seed, values);
    return {};
}

} // namespace

Result<void> remapVocabulary(const spec::WarmStartVocabulary& info, const std::string& folder,
                             const storage::HostTensor& old, const plan::StateTensor& variable,
                             std::uint64_t seed)
{
    CANNERY_TRY_ASSIGN(
        const features::TextVocabulary newWords,
        readWords(spec::resolvePath(folder, info.new_vocab()).string(), info.new_vocab_size()));
    CANNERY_TRY_ASSIGN(
        const features::TextVocabulary oldWords,
        readWords(spec::resolvePath(folder, info.old_vocab()).string(), info.old_vocab_size()));
    const auto axis = static_cast<std::size_t>(info.axis());
    const AxisView from = AxisView::of(old.shape, axis);
    const AxisView to = AxisView::of(variable.shape, axis);
    // All but the mapped axis must agree, and that axis has room for its words and unknown buckets.
    if (old.dtype != DType::Float32 || variable.dtype != DType::Float32 ||
        old.shape.rank() != variable.shape.rank() || from.outer != to.outer ||
        from.inner != to.inner || to.axis != newWords.size() + info.num_oov_buckets() ||
        from.axis < oldWords.size()) {
        return fail(ErrorCode::InvalidArgument, kVocabularyShape, variable.name,
                    variable.shape.toString(), old.shape.toString(), newWords.size(),
                    info.num_oov_buckets(), axis);
    }
    const std::span<const float> source = old.values<float>();
    return variable.write([&](std::span<std::byte> bytes) -> Result<void> {
        const std::span<float> values(reinterpret_cast<float*>(bytes.data()),
                                      bytes.size() / sizeof(float));
        CANNERY_TRY(drawBackup(info, variable, seed, values));
        for (std::int64_t word = 0; word < newWords.size(); ++word) {
            const std::int64_t place = oldWords.find(newWords.word(word));
            // A word's values are one run of `inner` numbers in each of the outer parts.
            for (std::int64_t outer = 0; place >= 0 && outer < to.outer; ++outer) {
                std::copy_n(source.begin() + (outer * from.axis + place) * from.inner, to.inner,
                            values.begin() + (outer * to.axis + word) * to.inner);
            }
        }
        return {};
    });
}

} // namespace cannery::train
