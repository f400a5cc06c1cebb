// SPDX-License-Identifier: Apache-2.0
#include "core/spec/sequence_columns.h"

#include "core/spec/number_columns.h"
#include "core/spec/text/scalar_text.h"

#include <algorithm>
#include <cmath>

namespace cannery::spec {

namespace {

constexpr ErrorKind kNotAList{
    "spec.sequence_of_one",
    "'{0}' has one value per row, and a sequence reads a list: make a feature of its pieces, as in "
    "data.feature {{ name: \"steps\" split {{ column: \"{0}\" separator: \"|\" }} }}, and read "
    "that."};
constexpr ErrorKind kTexts{"spec.sequence_of_texts",
                           "'{0}' is a list of texts: give its split a numeric dtype, or use a "
                           "sequence_categorical_column."};
constexpr ErrorKind kPaddingFraction{"spec.sequence_default",
                                     "{0} is not an integer, and this sequence's dtype is {1}."};

} // namespace

void checkSequenceKey(const ColumnCheck& check, const std::string& key)
{
    const Feature* made = check.context.madeFeature(key);
    // A feature that the table lacks has no list either, which would be a second report of one
    // mistake.
    const auto known = check.context.features();
    if (key.empty() || (known && std::ranges::find(*known, key) == known->end())) {
        return; // reported with the names
    }
    const bool isList = made != nullptr && (made->has_split() || made->has_stack());
    if (!isList || (made->has_stack() && made->stack().columns_size() == 1)) {
        check.report(check.path.child("key"), error(ErrorCode::InvalidArgument, kNotAList, key));
    }
}

void checkSequenceNumeric(const ColumnCheck& check)
{
    const SequenceNumericColumn& column = check.column.sequence_numeric_column();
    checkSequenceKey(check, column.key());
    const Feature* made = check.context.madeFeature(column.key());
    // A split without a type makes texts.
    if (made != nullptr && made->has_split() &&
        (made->split().dtype() == DataType::string ||
         made->split().dtype() == DataType::inferred)) {
        check.report(check.path.child("key"),
                     error(ErrorCode::InvalidArgument, kTexts, column.key()));
    }
    const bool isWhole = column.dtype() == DataType::int32 || column.dtype() == DataType::int64;
    if (isWhole && column.default_value() != std::floor(column.default_value())) {
        check.report(check.path.child("default_value"),
                     error(ErrorCode::InvalidArgument, kPaddingFraction,
                           numberText(column.default_value()),
                           DataType::Name_Name(column.dtype())));
    }
    checkNormalizer(check, column.normalizer(), check.path.child("normalizer"));
}

void resolveSequenceNumeric(FeatureColumn& column, const Experiment&, const ResolveOptions& options)
{
    SequenceNumericColumn& numbers = *column.mutable_sequence_numeric_column();
    if (numbers.shape().empty()) {
        numbers.add_shape(1);
    }
    if (numbers.has_normalizer()) {
        resolveNormalizer(*numbers.mutable_normalizer(), numbers.key(), options);
    }
}

void checkSequenceHashBucket(const ColumnCheck& check)
{
    checkSequenceKey(check, check.column.sequence_categorical_column_with_hash_bucket().key());
}

} // namespace cannery::spec
