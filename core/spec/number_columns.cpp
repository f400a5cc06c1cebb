// SPDX-License-Identifier: Apache-2.0
#include "core/spec/number_columns.h"

#include "core/spec/image_columns.h"
#include "core/spec/text/scalar_text.h"

#include <cmath>
#include <optional>

namespace cannery::spec {

namespace {

constexpr ErrorKind kSourceRank{
    "spec.source_rank",
    "The numeric column '{0}' has a shape of {1} dimensions: buckets need at most one dimension."};
constexpr ErrorKind kDefaultCount{
    "spec.default_count", "default_value has {0} numbers, but the shape has {1}: give one for all, "
                          "or one for each."};
constexpr ErrorKind kDefaultFraction{"spec.default_fraction",
                                     "{0} is not an integer, but dtype is {1}."};
constexpr ErrorKind kSparseNumeric{
    "spec.sparse_numeric",
    "'{0}' is a feature of several values per row ('split'): a numeric_column needs one number per "
    "element. Use a categorical column, or stack columns."};
constexpr ErrorKind kFeatureShape{
    "spec.feature_shape",
    "The feature '{0}' has {1} elements, but this column's shape has {2}: they must agree."};
constexpr ErrorKind kNormalizerRange{"spec.normalizer_range",
                                     "max ({0}) must be greater than min ({1})."};
constexpr ErrorKind kDivideByZero{"spec.divide_by_zero", "'divide' must not be 0."};

void checkDefaults(const ColumnCheck& check, const NumericColumn& column, std::int64_t elements)
{
    // One default stands for all elements.
    if (column.default_value_size() > 1 && column.default_value_size() != elements) {
        check.report(check.path.child("default_value"),
                     error(ErrorCode::InvalidArgument, kDefaultCount, column.default_value_size(),
                           elements));
    }
    const bool whole = column.dtype() == DataType::int32 || column.dtype() == DataType::int64;
    for (int i = 0; i < column.default_value_size() && whole; ++i) {
        if (column.default_value(i) != std::floor(column.default_value(i))) {
            check.report(check.path.child("default_value").element(i),
                         error(ErrorCode::InvalidArgument, kDefaultFraction,
                               numberText(column.default_value(i)),
                               DataType::Name_Name(column.dtype())));
        }
    }
}

/// The number of values of a picture, if this feature is one, made of nothing or by another name.
std::optional<std::int64_t> pictureElements(const ColumnCheck& check, const std::string& feature)
{
    const Feature* made = check.context.madeFeature(feature);
    const ImageFolderSource& pictures = check.context.experiment.data().train().image_folder();
    const bool isPicture =
        made != nullptr ? made->column() == kImageColumn : feature == kImageColumn;
    // A height that is missing is reported with the fields.
    if (!isPicture || !pictures.has_height() || !pictures.has_width()) {
        return std::nullopt;
    }
    google::protobuf::RepeatedField<std::int64_t> shape;
    shape.Add(pictures.height());
    shape.Add(pictures.width());
    shape.Add(pictures.channels());
    return elementCount(shape, 1);
}

void checkShape(const ColumnCheck& check, const NumericColumn& column, std::int64_t elements)
{
    const Feature* made = check.context.madeFeature(column.key());
    const bool isMade = made != nullptr && (made->has_split() || made->has_stack());
    if (const auto picture = pictureElements(check, column.key())) {
        if (*picture != elements) {
            check.report(
                check.path.child(column.shape_size() > 0 ? "shape" : "key"),
                error(ErrorCode::InvalidArgument, kFeatureShape, column.key(), *picture, elements));
        }
        return;
    }
    // A column of the table has one number per row.
    // A column of the table has one number, so a wider shape cannot be filled, unless defaults say
    // what to put there.
    if (!isMade && elements != 1 && column.default_value_size() <= 1) {
        check.report(check.path.child("shape"),
                     error(ErrorCode::InvalidArgument, kFeatureShape, column.key(), 1, elements));
    }
    if (made != nullptr && made->has_split()) {
        check.report(check.path.child("key"),
                     error(ErrorCode::InvalidArgument, kSparseNumeric, column.key()));
    }
    if (made != nullptr && made->has_stack() && made->stack().columns_size() != elements) {
        check.report(check.path.child(column.shape_size() > 0 ? "shape" : "key"),
                     error(ErrorCode::InvalidArgument, kFeatureShape, column.key(),
                           made->stack().columns_size(), elements));
    }
}

} // namespace

void resolveNormalizer(Normalizer& normalizer, const std::string& feature,
                       const ResolveOptions& options)
{
    const bool wantsZScore = normalizer.has_z_score() && !(normalizer.z_score().has_mean() &&
                                                           normalizer.z_score().has_stddev());
    const bool wantsRange = normalizer.has_min_max() &&
                            !(normalizer.min_max().has_min() && normalizer.min_max().has_max());
    // Statistics are measured by the caller only if a normalizer wants them.
    if (!(wantsZScore || wantsRange) || !options.statistics) {
        return;
    }
    const auto statistics = options.statistics(feature);
    if (!statistics) {
        return;
    }
    if (wantsZScore) {
        ZScore& score = *normalizer.mutable_z_score();
        // A value that the experiment gives is kept; only what is missing is measured.
        score.set_mean(score.has_mean() ? score.mean() : statistics->mean);
        // A column with a single value, as float32 has it, is shifted, not scaled.
        const double stddev = static_cast<float>(statistics->stddev) > 0 ? statistics->stddev : 1;
        score.set_stddev(score.has_stddev() ? score.stddev() : stddev);
    } else {
        MinMax& range = *normalizer.mutable_min_max();
        range.set_min(range.has_min() ? range.min() : statistics->min);
        // Likewise a column whose values are equal in float32 gets a range of 1.
        const bool isWide = static_cast<float>(statistics->max - range.min()) > 0;
        const double max = isWide ? statistics->max : range.min() + 1;
        range.set_max(range.has_max() ? range.max() : max);
    }
}

void checkNormalizer(const ColumnCheck& check, const Normalizer& normalizer, const SpecPath& path)
{
    const MinMax& range = normalizer.min_max();
    if (range.has_min() && range.has_max() && range.max() <= range.min()) {
        check.report(path.child("min_max").child("max"),
                     error(ErrorCode::InvalidArgument, kNormalizerRange, numberText(range.max()),
                           numberText(range.min())));
    }
    if (normalizer.subtract_divide().divide() == 0) {
        check.report(path.child("subtract_divide").child("divide"),
                     error(ErrorCode::InvalidArgument, kDivideByZero));
    }
}

void checkNumericColumn(const ColumnCheck& check)
{
    const NumericColumn& column = check.column.numeric_column();
    const std::int64_t elements = elementCount(column.shape(), 1);
    checkDefaults(check, column, elements);
    checkShape(check, column, elements);
    checkNormalizer(check, column.normalizer(), check.path.child("normalizer"));
}

void resolveNumericColumn(FeatureColumn& column, const Experiment&, const ResolveOptions& options)
{
    NumericColumn& numeric = *column.mutable_numeric_column();
    // Resolved experiments state what TensorFlow's shape=(1,) is.
    if (numeric.shape().empty()) {
        numeric.add_shape(1);
    }
    if (numeric.has_normalizer()) {
        resolveNormalizer(*numeric.mutable_normalizer(), numeric.key(), options);
    }
}

void checkBucketizedColumn(const ColumnCheck& check)
{
    const BucketizedColumn& column = check.column.bucketized_column();
    const FeatureColumn* source = check.context.column(column.source_column());
    const int dimensions = source == nullptr ? 0 : source->numeric_column().shape_size();
    if (dimensions > 1) {
        check.report(
            check.path.child("source_column"),
            error(ErrorCode::InvalidArgument, kSourceRank, column.source_column(), dimensions));
    }
    for (int i = 1; i < column.boundaries_size(); ++i) {
        if (!(column.boundaries(i) > column.boundaries(i - 1))) {
            check.report(check.path.child("boundaries").element(i),
                         error(ErrorCode::InvalidArgument, kBoundariesOrder,
                               numberText(column.boundaries(i)),
                               numberText(column.boundaries(i - 1))));
        }
    }
}

std::optional<std::int64_t> bucketizedIdCount(const ColumnIndex& columns,
                                              const FeatureColumn& column)
{
    const BucketizedColumn& bucketized = column.bucketized_column();
    const FeatureColumn* source = columns.find(bucketized.source_column());
    if (source == nullptr) {
        return std::nullopt;
    }
    return (bucketized.boundaries_size() + 1) * elementCount(source->numeric_column().shape(), 1);
}

} // namespace cannery::spec
