// SPDX-License-Identifier: Apache-2.0
#include "core/features/raw_plan.h"

#include "core/features/emit_errors.h"
#include "core/features/vocabulary.h"

#include <algorithm>
#include <charconv>
#include <cmath>

namespace cannery::features {

namespace {

/// What the table's own defaults make of a row whose cells are all empty; the column's defaults are
/// used where the table has none.
std::optional<std::vector<double>> numbersOfEmptyCells(const RawPlan& plan,
                                                       const std::vector<double>& ofColumn)
{
    std::vector<double> result = ofColumn;
    result.resize(static_cast<std::size_t>(plan.width()));
    for (std::size_t i = 0; i < result.size(); ++i) {
        const auto& text =
            i < plan.feature.defaults.size() ? plan.feature.defaults[i] : std::nullopt;
        const std::optional<double> number = text ? numberFromText(*text) : std::nullopt;
        if (!number && ofColumn.empty()) {
            return std::nullopt;
        }
        result[i] = number.value_or(result[i]);
    }
    return result;
}

/// NaN is the same as NaN.
bool areSame(const std::vector<double>& a, const std::vector<double>& b)
{
    return std::ranges::equal(
        a, b, [](double x, double y) { return x == y || (std::isnan(x) && std::isnan(y)); });
}

Result<void> addNumber(const RawUse& use, RawPlan& plan)
{
    // The column also gives the shape of a feature that the experiment does not mention.
    if (!plan.isNumber && use.shape.elementCount() != plan.width()) {
        return fail(ErrorCode::InvalidArgument, kCannotEmit, use.feature,
                    "its shape is " + plan.feature.shape.toString() +
                        ", but a numeric column has " + use.shape.toString());
    }
    const auto defaults = numbersOfEmptyCells(plan, use.defaults);
    if (!plan.isNumber) {
        plan.numberDefaults = defaults;
    } else if (!defaults || !plan.numberDefaults) {
        // A column without default makes the feature required for all.
        plan.numberDefaults.reset();
    } else if (!areSame(*plan.numberDefaults, *defaults)) {
        // Columns differ in what a missing number means, so it stays missing for each of them to
        // deal with.
        plan.numberDefaults->assign(defaults->size(), std::numeric_limits<double>::quiet_NaN());
    }
    plan.isNumber = true;
    plan.numberType = isInteger(use.dtype) ? DType::Int64 : DType::Float32;
    // The shape that a numeric column reads wins over the table's, which has as many elements.
    if (use.shape.rank() != plan.feature.shape.rank()) {
        plan.feature.shape = use.shape;
    }
    return {};
}

Result<void> addWeight(const RawUse& use, RawPlan& plan)
{
    const DType type = isInteger(use.dtype) ? DType::Int64 : DType::Float32;
    if (plan.isWeight && plan.weightType != type) {
        return fail(ErrorCode::InvalidArgument, kCannotEmit, use.feature,
                    "one weighted column reads it as integers, another as floats");
    }
    plan.isWeight = true;
    plan.weightType = type;
    return {};
}

Result<void> addSteps(const RawUse& use, RawPlan& plan)
{
    const DType type = isInteger(use.dtype) ? DType::Int64 : DType::Float32;
    if (plan.isSteps && plan.stepType != type) {
        return fail(ErrorCode::InvalidArgument, kCannotEmit, use.feature,
                    "one sequence reads it as integers, another as floats");
    }
    plan.isSteps = true;
    plan.stepType = type;
    return {};
}

Result<void> addUse(const RawUse& use, RawPlan& plan)
{
    switch (use.role) {
    case RawRole::Number:
        return addNumber(use, plan);
    case RawRole::Weight:
        return addWeight(use, plan);
    case RawRole::Steps:
        return addSteps(use, plan);
    case RawRole::CrossKey:
        plan.isCategory = true;
        return {};
    case RawRole::Category:
        break;
    }
    plan.isCategory = true;
    if (plan.categoryType != DType::Invalid && plan.categoryType != use.dtype) {
        return fail(ErrorCode::InvalidArgument, kCannotEmit, use.feature,
                    "one column reads it as text, another as integers");
    }
    plan.categoryType = use.dtype;
    return {};
}

} // namespace

DType RawPlan::rawType() const
{
    // A request fills up lists of numbers with NaN.
    if (isSteps && !isCategory) {
        return DType::Float32;
    }
    if (feature.dtype != DType::Invalid) {
        return feature.dtype;
    }
    if (isCategory) {
        return categoryType;
    }
    return isNumber || !isWeight ? numberType : weightType;
}

bool RawPlan::keepsMissing() const
{
    return isNumber && numberDefaults &&
           std::ranges::any_of(*numberDefaults, [](double number) { return std::isnan(number); });
}

std::optional<double> numberFromText(std::string_view text)
{
    constexpr std::string_view kBlanks = " \t";
    const std::size_t begin = text.find_first_not_of(kBlanks);
    if (begin == std::string_view::npos) {
        return std::nullopt;
    }
    text = text.substr(begin, text.find_last_not_of(kBlanks) - begin + 1);
    // from_chars() takes no plus sign.
    if (text.front() == '+') {
        text.remove_prefix(1);
    }
    double value = 0;
    const auto parsed = std::from_chars(text.data(), text.data() + text.size(), value);
    const bool isAll = parsed.ec == std::errc() && parsed.ptr == text.data() + text.size();
    return isAll ? std::optional(value) : std::nullopt;
}

std::optional<std::int64_t> wholeNumberFromText(std::string_view text)
{
    if (const std::optional<std::int64_t> integer = integerFromText(text)) {
        return integer;
    }
    // Beyond this a double no longer distinguishes neighbouring integers.
    constexpr double kExact = 9e15;
    const std::optional<double> number = numberFromText(text);
    if (!number || std::fabs(*number) > kExact || *number != std::floor(*number)) {
        return std::nullopt;
    }
    return static_cast<std::int64_t>(*number);
}

Result<std::map<std::string, RawPlan>> planRawFeatures(const spec::Experiment& experiment,
                                                       std::span<const RawUse> uses,
                                                       const std::map<std::string, DType>& dtypes)
{
    const RawSchema schema(experiment, dtypes);
    std::map<std::string, RawPlan> plans;
    for (const RawUse& use : uses) {
        const auto [place, isNew] = plans.try_emplace(use.feature);
        if (isNew) {
            place->second.feature = schema.feature(use.feature);
        }
        CANNERY_TRY(addUse(use, place->second));
    }
    for (auto& [name, plan] : plans) {
        if (plan.keepsMissing()) {
            // Only a float can stay missing, as NaN.
            plan.numberType = DType::Float32;
        }
        if (plan.isCategory && plan.categoryType == DType::Invalid) {
            // A category without a type of its own, as a cross key is, takes the table's.
            plan.categoryType = isInteger(plan.feature.dtype) ? DType::Int64 : DType::String;
        }
        if ((plan.isNumber || plan.isSteps) && plan.isCategory &&
            plan.categoryType == DType::String) {
            return fail(ErrorCode::InvalidArgument, kCannotEmit, name,
                        "one column reads it as text, another as numbers");
        }
        if (plan.isSteps && (plan.isNumber || plan.isWeight)) {
            return fail(ErrorCode::InvalidArgument, kCannotEmit, name,
                        "one column reads it as a sequence, another as numbers of a fixed count");
        }
    }
    return plans;
}

} // namespace cannery::features
