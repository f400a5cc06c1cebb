// SPDX-License-Identifier: Apache-2.0
#include "core/train/preparation/size_check.h"

#include "core/base/byte_text.h"
#include "core/estimators/estimator_catalog.h"
#include "core/features/feature_encoder.h"
#include "core/plan/memory_limit.h"
#include "core/plan/model_size.h"
#include "core/spec/message_access.h"
#include "core/spec/spec_resolver.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <functional>
#include <limits>

namespace cannery::train {

namespace {

using google::protobuf::FieldDescriptor;
using google::protobuf::Message;
using google::protobuf::Reflection;

constexpr ErrorKind kTooLarge{
    "spec.too_large",
    "'{0}' is {1}: training would need {2} of memory ({3}), but {4} leaves {5}. {6}"};
constexpr ErrorKind kCheckpointTooLarge{
    "spec.checkpoint_too_large", "'{0}' is {1}: a checkpoint would take {2}, and the previous one "
                                 "is kept until it is written, but the disk has {3} free. {4}"};
constexpr ErrorKind kTooLargeAltogether{
    "spec.model_too_large",
    "Training would need {0} of memory ({1}), but {2} leaves {3}. Use fewer or smaller columns."};

/// Fields whose effect is tried: those with the largest numbers.
constexpr std::size_t kMostCandidates = 16;
/// Fraction of the excess; a field that saves less is not to blame.
constexpr double kShareThatMatters = 0.1;
/// The old checkpoint, and the new one until it is complete.
constexpr double kCheckpointsAtOnce = 2;

/// A number of the experiment that memory grows with.
struct SizeField
{
    spec::SpecPath path;
    const FieldDescriptor* field = nullptr;
    std::int64_t value = 0; ///< as written
    std::int64_t least = 1;
};

constexpr std::string_view kBatchSize = "batch_size";

using Visitor = std::function<void(Message&, const FieldDescriptor&, int, const spec::SpecPath&)>;

/// Every number that determines the size of the model, in the order of the schema.
void visitSizes(Message& message, const spec::SpecPath& path, const Visitor& visit)
{
    const Reflection& reflection = *message.GetReflection();
    std::vector<const FieldDescriptor*> fields;
    reflection.ListFields(message, &fields);
    for (const FieldDescriptor* field : fields) {
        const bool isSize = isSizeField(*field);
        // Texts and other numbers do not matter for memory.
        if (!isSize && !spec::isMessage(*field)) {
            continue;
        }
        const spec::SpecPath here = path.child(field->name());
        const int count = field->is_repeated() ? reflection.FieldSize(message, field) : 1;
        for (int i = 0; i < count; ++i) {
            const spec::SpecPath element = field->is_repeated() ? here.element(i) : here;
            if (isSize) {
                visit(message, *field, field->is_repeated() ? i : -1, element);
            } else {
                visitSizes(field->is_repeated()
                               ? *reflection.MutableRepeatedMessage(&message, field, i)
                               : *reflection.MutableMessage(&message, field),
                           element, visit);
            }
        }
    }
}

std::int64_t valueOf(const Message& message, const FieldDescriptor& field, int index)
{
    const Reflection& reflection = *message.GetReflection();
    // An index below 0 stands for a field that is not repeated.
    return index < 0 ? reflection.GetInt64(message, &field)
                     : reflection.GetRepeatedInt64(message, &field, index);
}

void setValue(Message& message, const FieldDescriptor& field, int index, std::int64_t value)
{
    const Reflection& reflection = *message.GetReflection();
    if (index < 0) {
        reflection.SetInt64(&message, &field, value);
    } else {
        reflection.SetRepeatedInt64(&message, &field, index, value);
    }
}

std::int64_t largestOf(const FieldDescriptor& field)
{
    // A field without a bound is limited by what tensors can have.
    const spec::FieldInfo& info = spec::infoOf(field);
    return info.has_max() ? static_cast<std::int64_t>(info.max())
                          : std::numeric_limits<std::int32_t>::max();
}

/// What a model is compared with: memory, or the disk.
struct Budget
{
    double limit = 0;
    double (*need)(const plan::ModelSize&) = nullptr;
};

double memoryOf(const plan::ModelSize& size)
{
    return size.total();
}

double diskOf(const plan::ModelSize& size)
{
    // The sizes of variables and their slots.
    return size.state * kCheckpointsAtOnce;
}

double freeDisk(const std::string& folder)
{
    std::error_code failure;
    std::filesystem::path place = std::filesystem::absolute(folder.empty() ? "." : folder, failure);
    // The folder may be made only when training starts.
    while (!failure && !std::filesystem::exists(place) && place.has_relative_path()) {
        place = place.parent_path();
    }
    const auto space = std::filesystem::space(place, failure);
    // A disk whose free space is unknown is not a reason to refuse.
    return failure ? std::numeric_limits<double>::infinity() : static_cast<double>(space.available);
}

class SizeChecker
{
public:
    explicit SizeChecker(const SizeRequest& request)
        : m_request(request), m_resolved(spec::resolve(
                                  request.experiment, {.statistics = [](std::string_view) {
                                      return std::optional(spec::ColumnStatistics{}); // any will do
                                  }}))
    {
        visitSizes(m_resolved, {},
                   [&](Message& message, const FieldDescriptor& field, int index,
                       const spec::SpecPath& path) {
                       const std::int64_t value = valueOf(message, field, index);
                       m_fields.push_back(
                           {path, &field, value,
                            std::max<std::int64_t>(
                                1, static_cast<std::int64_t>(spec::infoOf(field).min()))});
                       // Numbers beyond their ranges are reported elsewhere, and could overflow
                       // here.
                       setValue(message, field, index, std::min(value, largestOf(field)));
                   });
    }

    Result<void> check();

private:
    Result<plan::ModelSize> sizeOf(const spec::Experiment& experiment) const;
    /// With one number replaced; nothing if no model can be made with it.
    std::optional<plan::ModelSize> sizeWith(std::size_t index, std::int64_t value) const;
    std::optional<std::size_t> heaviest(const Budget& budget, double now) const;
    std::optional<std::int64_t> largestFit(std::size_t index, const Budget& budget,
                                           double now) const;
    std::string cure(std::size_t index, const Budget& budget, double now) const;
    Result<void> checkMemory(const plan::ModelSize& size) const;
    Result<void> checkDisk(const plan::ModelSize& size) const;
    std::string pathOf(std::size_t index) const;
    std::string textOf(std::size_t index) const;

    const SizeRequest& m_request;
    spec::Experiment m_resolved; ///< its numbers clamped to their ranges
    std::vector<SizeField> m_fields;
};

Result<plan::ModelSize> SizeChecker::sizeOf(const spec::Experiment& experiment) const
{
    CANNERY_TRY_ASSIGN(const features::FeatureEncoder encoder,
                       features::FeatureEncoder::create(experiment, m_request.folder));
    CANNERY_TRY_ASSIGN(const graph::LoweredModel lowered,
                       estimators::lower(experiment, encoder.layout()));
    // The larger of both: its buffers serve training and evaluation.
    const std::int64_t batch = std::max(experiment.train_spec().input().batch_size(),
                                        experiment.eval_spec().input().batch_size());
    return plan::sizeOf(lowered, {.batchSize = batch});
}

std::optional<plan::ModelSize> SizeChecker::sizeWith(std::size_t index, std::int64_t value) const
{
    spec::Experiment changed = m_resolved;
    const std::string& name = m_fields[index].field->name();
    std::size_t at = 0;
    visitSizes(
        changed, {},
        [&](Message& message, const FieldDescriptor& field, int element, const spec::SpecPath&) {
            // Buffers are sized for the larger batch: changing one of the two alone has no effect.
            const bool isOtherBatch = name == kBatchSize && field.name() == kBatchSize &&
                                      valueOf(message, field, element) > value;
            if (at++ == index || isOtherBatch) {
                setValue(message, field, element, value);
            }
        });
    const Result<plan::ModelSize> size = sizeOf(changed);
    return size ? std::optional(*size) : std::nullopt;
}

/// The largest number that alone could make the model fit; if none can, the largest that matters. A
/// mistyped number is large.
std::optional<std::size_t> SizeChecker::heaviest(const Budget& budget, double now) const
{
    std::vector<std::size_t> order;
    for (std::size_t i = 0; i < m_fields.size(); ++i) {
        order.push_back(i);
    }
    // Stable, so that of equal numbers the first in the schema is named.
    std::stable_sort(order.begin(), order.end(), [this](std::size_t a, std::size_t b) {
        return m_fields[a].value > m_fields[b].value;
    });
    // Each try builds the model's description once.
    order.resize(std::min(order.size(), kMostCandidates));
    std::optional<std::size_t> matters;
    for (const std::size_t index : order) {
        // Without it the model is not valid, so it is not to blame.
        const auto size = sizeWith(index, m_fields[index].least);
        if (!size) {
            continue;
        }
        if (budget.need(*size) <= budget.limit) {
            return index;
        }
        const bool isMuch = budget.need(*size) < now - kShareThatMatters * (now - budget.limit);
        matters = isMuch && !matters ? index : matters;
    }
    return matters;
}

/// The size of a model is linear in any single number, except for rounding.
std::optional<std::int64_t> SizeChecker::largestFit(std::size_t index, const Budget& budget,
                                                    double now) const
{
    const SizeField& field = m_fields[index];
    const auto most = static_cast<double>(std::min(field.value, largestOf(*field.field)));
    const auto least = static_cast<double>(field.least);
    const auto smallest = sizeWith(index, field.least);
    // Smaller numbers elsewhere are needed, too.
    if (!smallest || budget.need(*smallest) > budget.limit) {
        return std::nullopt;
    }
    const double base = budget.need(*smallest);
    // Linear between the smallest and the current size.
    double fit = std::floor(least + (budget.limit - base) * (most - least) / (now - base));
    while (fit > least) {
        const auto size = sizeWith(index, static_cast<std::int64_t>(fit));
        if (size && budget.need(*size) <= budget.limit) {
            break;
        }
        // Rounding up to whole buffers may be in the way: go down, first by one, then by parts of a
        // thousand.
        fit = std::max(least, std::floor(std::min(fit - 1, fit * 0.999)));
    }
    return static_cast<std::int64_t>(fit);
}

std::string SizeChecker::cure(std::size_t index, const Budget& budget, double now) const
{
    const auto fit = largestFit(index, budget, now);
    return fit ? fmt::format("At most {} would fit.", *fit)
               : "No number in its place would fit: make other fields smaller too.";
}

std::string SizeChecker::pathOf(std::size_t index) const
{
    return spec::namedPath(m_request.experiment, m_fields[index].path).toString();
}

/// "hidden_units[1]"
std::string SizeChecker::textOf(std::size_t index) const
{
    const spec::PathStep& last = m_fields[index].path.steps.back();
    return last.index ? fmt::format("{}[{}]", last.field, *last.index) : last.field;
}

Result<void> SizeChecker::checkMemory(const plan::ModelSize& size) const
{
    CANNERY_TRY_ASSIGN(const plan::MemoryLimit limit, plan::memoryLimit());
    if (size.total() <= limit.bytes) {
        return {};
    }
    const Budget budget{limit.bytes, memoryOf};
    const std::string needed = byteText(size.total());
    const std::string left = byteText(limit.bytes);
    // The number that helps most is named, not every one that is large.
    const auto index = heaviest(budget, size.total());
    if (!index) {
        return fail(ErrorCode::ResourceExhausted, kTooLargeAltogether, needed,
                    plan::partsText(size), limit.source, left);
    }
    return tl::make_unexpected(error(ErrorCode::ResourceExhausted, kTooLarge, textOf(*index),
                                     m_fields[*index].value, needed, plan::partsText(size),
                                     limit.source, left, cure(*index, budget, size.total()))
                                   .at(pathOf(*index)));
}

Result<void> SizeChecker::checkDisk(const plan::ModelSize& size) const
{
    const double free =
        freeDisk(m_request.modelDir.empty() ? m_request.folder : m_request.modelDir);
    if (diskOf(size) <= free) {
        return {};
    }
    const Budget budget{free, diskOf};
    const auto index = heaviest(budget, diskOf(size));
    if (!index) {
        return {}; // nothing here makes it smaller: the first save will report the problem
    }
    return tl::make_unexpected(error(ErrorCode::ResourceExhausted, kCheckpointTooLarge,
                                     textOf(*index), m_fields[*index].value, byteText(size.state),
                                     byteText(free), cure(*index, budget, diskOf(size)))
                                   .at(pathOf(*index)));
}

Result<void> SizeChecker::check()
{
    CANNERY_TRY_ASSIGN(const plan::ModelSize size, sizeOf(m_resolved));
    CANNERY_TRY(checkMemory(size));
    return checkDisk(size);
}

} // namespace

bool isSizeField(const FieldDescriptor& field)
{
    return spec::infoOf(field).memory_grows();
}

std::optional<Error> findSizeProblem(const SizeRequest& request)
{
    Result<void> checked = SizeChecker(request).check();
    return checked ? std::nullopt : std::optional<Error>(std::move(checked).error());
}

} // namespace cannery::train
