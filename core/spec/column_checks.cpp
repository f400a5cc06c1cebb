// SPDX-License-Identifier: Apache-2.0
// Rules of single feature columns (estimator-canon §3.1): what may be made of what.

#include "core/spec/scalar_text.h"
#include "core/spec/tensorflow_names.h"
#include "core/spec/validation_context.h"

#include <charconv>
#include <cmath>
#include <set>

namespace cannery::spec {

namespace {

constexpr ErrorKind kNotNumericSource{
    "spec.source_not_numeric", "'{0}' is a {1}: only a numeric_column can be cut into buckets."};
constexpr ErrorKind kSourceRank{
    "spec.source_rank",
    "The numeric column '{0}' has a shape of {1} dimensions: buckets need one dimension at most."};
constexpr ErrorKind kBoundaries{
    "spec.boundaries_order",
    "The boundary {0} does not lie above {1} before it: boundaries must rise strictly."};
constexpr ErrorKind kDenseWrapped{
    "spec.not_categorical",
    "'{0}' is a {1}, which is dense already: {2} needs a categorical column."};
constexpr ErrorKind kNumericWrapped{
    "spec.not_categorical",
    "'{0}' is a numeric_column: {1} needs a categorical column, so cut the numbers into a "
    "bucketized_column first, or use the numeric_column as it is."};
constexpr ErrorKind kCrossDense{
    "spec.cross_dense", "'{0}' is a {1}, which is dense and cannot be crossed: cross the {2}."};
constexpr ErrorKind kCrossHashed{
    "spec.cross_hashed",
    "'{0}' is a hashed column and cannot be crossed: cross its raw feature, feature: \"{1}\"."};
constexpr ErrorKind kCrossWeighted{
    "spec.cross_weighted",
    "'{0}' is a weighted column and cannot be crossed: cross the column '{1}' that it weighs."};
constexpr ErrorKind kDefaultCount{
    "spec.default_count", "default_value has {0} numbers, but the shape has {1}: give one for all, "
                          "or one for each."};
constexpr ErrorKind kDefaultFraction{"spec.default_fraction",
                                     "{0} is not a whole number, but dtype is {1}."};
constexpr ErrorKind kDtype{"spec.column_dtype", "dtype is {0}: a {1} can be {2}."};
constexpr ErrorKind kDefaultAndOov{
    "spec.default_and_oov",
    "default_value and num_oov_buckets both say what becomes of an unknown value: keep one."};
constexpr ErrorKind kDefaultRange{
    "spec.default_range",
    "default_value {0} is not an id of this column: it must lie between {1} and {2}."};
constexpr ErrorKind kDuplicateWord{"spec.duplicate_vocabulary",
                                   "'{0}' stands twice in the vocabulary: take one away."};
constexpr ErrorKind kIntegerWord{"spec.vocabulary_integer",
                                 "'{0}' is not a whole number, but the vocabulary's dtype is {1}."};
constexpr ErrorKind kCheckpointPair{
    "spec.checkpoint_pair",
    "ckpt_to_load_from and tensor_name_in_ckpt belong together: give both or neither."};
constexpr ErrorKind kSharedKinds{
    "spec.shared_kinds",
    "'{0}' is a {1}, but '{2}' is a {3}: columns that share a table must be of one kind."};
constexpr ErrorKind kSharedSizes{
    "spec.shared_sizes",
    "'{0}' has {1} ids, but '{2}' has {3}: columns that share a table need the same number."};
constexpr ErrorKind kSparseNumeric{
    "spec.sparse_numeric",
    "'{0}' is a feature of several values per row ('split'): a numeric_column needs one number "
    "in each place. Use a categorical column, or stack columns."};
constexpr ErrorKind kFeatureShape{
    "spec.feature_shape",
    "The feature '{0}' has {1} elements, but this column's shape has {2}: they must agree."};
constexpr ErrorKind kNormalizerRange{"spec.normalizer_range",
                                     "max ({0}) must lie above min ({1})."};
constexpr ErrorKind kDivideByZero{"spec.divide_by_zero",
                                  "'divide' is 0: nothing can be divided by it."};

class ColumnChecker
{
public:
    ColumnChecker(ValidationContext& context, const FeatureColumn& column, int index)
        : m_context(context), m_column(column),
          m_path(SpecPath{}.child("feature_column").element(index).child(kindName(column)))
    {}

    void check();

private:
    void report(const SpecPath& path, Error error) { m_context.report(path, std::move(error)); }
    void numeric(const NumericColumn& column);
    void normalizer(const Normalizer& normalizer, const SpecPath& path);
    void bucketized(const BucketizedColumn& column);
    void vocabularyList(const VocabularyListColumn& column);
    void vocabularyFile(const VocabularyFileColumn& column);
    void identity(const IdentityColumn& column);
    void crossed(const CrossedColumn& column);
    void weighted(const WeightedColumn& column);
    void shared(const SharedEmbeddings& column);
    void categoricalSource(const std::string& name, const SpecPath& path);
    void dtype(DataType::Name dtype);
    void numberType(DataType::Name dtype);
    template <typename Embedding>
    void checkpointPair(const Embedding& column);

    ValidationContext& m_context;
    const FeatureColumn& m_column;
    SpecPath m_path;
};

void ColumnChecker::check()
{
    switch (m_column.kind_case()) {
    case FeatureColumn::kNumericColumn:
        return numeric(m_column.numeric_column());
    case FeatureColumn::kBucketizedColumn:
        return bucketized(m_column.bucketized_column());
    case FeatureColumn::kCategoricalColumnWithVocabularyList:
        return vocabularyList(m_column.categorical_column_with_vocabulary_list());
    case FeatureColumn::kCategoricalColumnWithVocabularyFile:
        return vocabularyFile(m_column.categorical_column_with_vocabulary_file());
    case FeatureColumn::kCategoricalColumnWithHashBucket:
        return dtype(m_column.categorical_column_with_hash_bucket().dtype());
    case FeatureColumn::kCategoricalColumnWithIdentity:
        return identity(m_column.categorical_column_with_identity());
    case FeatureColumn::kCrossedColumn:
        return crossed(m_column.crossed_column());
    case FeatureColumn::kWeightedCategoricalColumn:
        return weighted(m_column.weighted_categorical_column());
    case FeatureColumn::kIndicatorColumn:
        return categoricalSource(m_column.indicator_column().categorical_column(),
                                 m_path.child("categorical_column"));
    case FeatureColumn::kEmbeddingColumn:
        categoricalSource(m_column.embedding_column().categorical_column(),
                          m_path.child("categorical_column"));
        return checkpointPair(m_column.embedding_column());
    case FeatureColumn::kSharedEmbeddings:
        shared(m_column.shared_embeddings());
        return checkpointPair(m_column.shared_embeddings());
    case FeatureColumn::KIND_NOT_SET:
        return;
    }
}

/// A categorical column reads texts or whole numbers.
void ColumnChecker::dtype(DataType::Name dtype)
{
    if (dtype == DataType::float32 || dtype == DataType::float64) {
        report(m_path.child("dtype"),
               error(ErrorCode::InvalidArgument, kDtype, DataType::Name_Name(dtype),
                     kindName(m_column), "string, int32 or int64"));
    }
}

/// What is calculated with is a number.
void ColumnChecker::numberType(DataType::Name dtype)
{
    if (dtype == DataType::string) {
        report(m_path.child("dtype"),
               error(ErrorCode::InvalidArgument, kDtype, DataType::Name_Name(dtype),
                     kindName(m_column), "float32, float64, int32 or int64"));
    }
}

void ColumnChecker::numeric(const NumericColumn& column)
{
    const std::int64_t elements = elementCount(column.shape(), 1);
    numberType(column.dtype());
    if (column.default_value_size() > 1 && column.default_value_size() != elements) {
        report(m_path.child("default_value"), error(ErrorCode::InvalidArgument, kDefaultCount,
                                                    column.default_value_size(), elements));
    }
    const bool whole = column.dtype() == DataType::int32 || column.dtype() == DataType::int64;
    for (int i = 0; i < column.default_value_size() && whole; ++i) {
        if (column.default_value(i) != std::floor(column.default_value(i))) {
            report(m_path.child("default_value").element(i),
                   error(ErrorCode::InvalidArgument, kDefaultFraction,
                         numberText(column.default_value(i)), DataType::Name_Name(column.dtype())));
        }
    }
    const Feature* made = m_context.madeFeature(column.key());
    // A column of the table has one number in each row.
    if (made == nullptr && elements != 1 && column.default_value_size() <= 1) {
        report(m_path.child("shape"),
               error(ErrorCode::InvalidArgument, kFeatureShape, column.key(), 1, elements));
    }
    if (made != nullptr && made->has_split()) {
        report(m_path.child("key"),
               error(ErrorCode::InvalidArgument, kSparseNumeric, column.key()));
    }
    if (made != nullptr && made->has_stack() && made->stack().columns_size() != elements) {
        report(m_path.child(column.shape_size() > 0 ? "shape" : "key"),
               error(ErrorCode::InvalidArgument, kFeatureShape, column.key(),
                     made->stack().columns_size(), elements));
    }
    normalizer(column.normalizer(), m_path.child("normalizer"));
}

void ColumnChecker::weighted(const WeightedColumn& column)
{
    categoricalSource(column.categorical_column(), m_path.child("categorical_column"));
    numberType(column.dtype());
}

void ColumnChecker::normalizer(const Normalizer& normalizer, const SpecPath& path)
{
    const MinMax& range = normalizer.min_max();
    if (range.has_min() && range.has_max() && range.max() <= range.min()) {
        report(path.child("min_max").child("max"),
               error(ErrorCode::InvalidArgument, kNormalizerRange, numberText(range.max()),
                     numberText(range.min())));
    }
    if (normalizer.subtract_divide().divide() == 0) {
        report(path.child("subtract_divide").child("divide"),
               error(ErrorCode::InvalidArgument, kDivideByZero));
    }
}

void ColumnChecker::bucketized(const BucketizedColumn& column)
{
    const FeatureColumn* source = m_context.column(column.source_column());
    if (source != nullptr && !source->has_numeric_column()) {
        report(m_path.child("source_column"), error(ErrorCode::InvalidArgument, kNotNumericSource,
                                                    column.source_column(), kindName(*source)));
    } else if (source != nullptr && source->numeric_column().shape_size() > 1) {
        report(m_path.child("source_column"),
               error(ErrorCode::InvalidArgument, kSourceRank, column.source_column(),
                     source->numeric_column().shape_size()));
    }
    for (int i = 1; i < column.boundaries_size(); ++i) {
        if (!(column.boundaries(i) > column.boundaries(i - 1))) {
            report(m_path.child("boundaries").element(i),
                   error(ErrorCode::InvalidArgument, kBoundaries, numberText(column.boundaries(i)),
                         numberText(column.boundaries(i - 1))));
        }
    }
}

void ColumnChecker::vocabularyList(const VocabularyListColumn& column)
{
    dtype(column.dtype());
    const bool whole = column.dtype() == DataType::int32 || column.dtype() == DataType::int64;
    std::set<std::string> seen;
    for (int i = 0; i < column.vocabulary_list_size(); ++i) {
        const std::string& word = column.vocabulary_list(i);
        const SpecPath path = m_path.child("vocabulary_list").element(i);
        if (!seen.insert(word).second) {
            report(path, error(ErrorCode::AlreadyExists, kDuplicateWord, word));
        }
        std::int64_t number = 0;
        const auto [rest, code] = std::from_chars(word.data(), word.data() + word.size(), number);
        if (whole && (code != std::errc() || rest != word.data() + word.size())) {
            report(path, error(ErrorCode::InvalidArgument, kIntegerWord, word,
                               DataType::Name_Name(column.dtype())));
        }
    }
    if (column.num_oov_buckets() > 0 && column.default_value() != -1) {
        report(m_path.child("default_value"), error(ErrorCode::InvalidArgument, kDefaultAndOov));
    } else if (column.default_value() < -1 ||
               column.default_value() >= column.vocabulary_list_size()) {
        report(m_path.child("default_value"),
               error(ErrorCode::OutOfRange, kDefaultRange, column.default_value(), -1,
                     column.vocabulary_list_size() - 1));
    }
}

void ColumnChecker::vocabularyFile(const VocabularyFileColumn& column)
{
    dtype(column.dtype());
    if (!column.has_default_value() || column.default_value() == -1) {
        return;
    }
    if (column.num_oov_buckets() > 0) {
        report(m_path.child("default_value"), error(ErrorCode::InvalidArgument, kDefaultAndOov));
    } else if (column.default_value() < -1 ||
               (column.has_vocabulary_size() &&
                column.default_value() >= column.vocabulary_size())) {
        report(m_path.child("default_value"),
               error(ErrorCode::OutOfRange, kDefaultRange, column.default_value(), -1,
                     column.has_vocabulary_size() ? std::to_string(column.vocabulary_size() - 1)
                                                  : "the last line of the file"));
    }
}

void ColumnChecker::identity(const IdentityColumn& column)
{
    if (column.has_default_value() &&
        (column.default_value() < 0 || column.default_value() >= column.num_buckets())) {
        report(m_path.child("default_value"),
               error(ErrorCode::OutOfRange, kDefaultRange, column.default_value(), 0,
                     column.num_buckets() - 1));
    }
}

void ColumnChecker::categoricalSource(const std::string& name, const SpecPath& path)
{
    const FeatureColumn* source = m_context.column(name);
    if (source == nullptr || isCategorical(*source)) {
        return;
    }
    report(path, source->has_numeric_column()
                     ? error(ErrorCode::InvalidArgument, kNumericWrapped, name, kindName(m_column))
                     : error(ErrorCode::InvalidArgument, kDenseWrapped, name, kindName(*source),
                             kindName(m_column)));
}

void ColumnChecker::crossed(const CrossedColumn& column)
{
    for (int i = 0; i < column.key_size(); ++i) {
        const std::string& name = column.key(i).column();
        const FeatureColumn* source = column.key(i).has_column() ? m_context.column(name) : nullptr;
        const SpecPath path = m_path.child("key").element(i).child("column");
        if (source == nullptr) {
            continue;
        }
        if (!isCategorical(*source)) {
            report(path, error(ErrorCode::InvalidArgument, kCrossDense, name, kindName(*source),
                               source->has_numeric_column() ? "numbers cut into a bucketized_column"
                                                            : "categorical column below it"));
        } else if (source->has_categorical_column_with_hash_bucket()) {
            report(path, error(ErrorCode::InvalidArgument, kCrossHashed, name,
                               source->categorical_column_with_hash_bucket().key()));
        } else if (source->has_weighted_categorical_column()) {
            report(path, error(ErrorCode::InvalidArgument, kCrossWeighted, name,
                               source->weighted_categorical_column().categorical_column()));
        }
    }
}

void ColumnChecker::shared(const SharedEmbeddings& column)
{
    const FeatureColumn* first = nullptr;
    for (int i = 0; i < column.categorical_columns_size(); ++i) {
        const std::string& name = column.categorical_columns(i);
        const SpecPath path = m_path.child("categorical_columns").element(i);
        categoricalSource(name, path);
        const FeatureColumn* source = m_context.column(name);
        // A weighted column shares by what it weighs.
        for (int depth = 0; source != nullptr && source->has_weighted_categorical_column() &&
                            depth < m_context.experiment.feature_column_size();
             ++depth) {
            source = m_context.column(source->weighted_categorical_column().categorical_column());
        }
        if (source == nullptr || !isCategorical(*source)) {
            continue;
        }
        if (first == nullptr) {
            first = source;
            continue;
        }
        const auto size = bucketCount(m_context.columns, *source);
        const auto firstSize = bucketCount(m_context.columns, *first);
        if (source->kind_case() != first->kind_case()) {
            report(path, error(ErrorCode::InvalidArgument, kSharedKinds, name, kindName(*source),
                               first->name(), kindName(*first)));
        } else if (size && firstSize && *size != *firstSize) {
            report(path, error(ErrorCode::InvalidArgument, kSharedSizes, name, *size, first->name(),
                               *firstSize));
        }
    }
}

template <typename Embedding>
void ColumnChecker::checkpointPair(const Embedding& column)
{
    if (column.has_ckpt_to_load_from() != column.has_tensor_name_in_ckpt()) {
        report(m_path.child(column.has_ckpt_to_load_from() ? "ckpt_to_load_from"
                                                           : "tensor_name_in_ckpt"),
               error(ErrorCode::InvalidArgument, kCheckpointPair));
    }
}

} // namespace

void checkFeatureColumns(ValidationContext& context)
{
    const Experiment& experiment = context.experiment;
    for (int i = 0; i < experiment.feature_column_size(); ++i) {
        const FeatureColumn& column = experiment.feature_column(i);
        const auto features = rawFeatures(context.columns, column.name());
        // A reference that leads nowhere is reported where it stands.
        if (!features && features.error().id != "spec.dangling_column") {
            context.report(SpecPath{}.child("feature_column").element(i), features.error());
        }
        ColumnChecker(context, column, i).check();
    }
}

} // namespace cannery::spec
