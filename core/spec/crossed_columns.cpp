// SPDX-License-Identifier: Apache-2.0
#include "core/spec/crossed_columns.h"

namespace cannery::spec {

namespace {

constexpr ErrorKind kCrossDense{
    "spec.cross_dense", "'{0}' is a {1}, which is dense and cannot be crossed: cross the {2}."};
constexpr ErrorKind kCrossSequence{
    "spec.cross_sequence",
    "'{0}' is a {1}, which has a value for each step and cannot be crossed: cross its raw feature, "
    "if all its values of a row are to be combined."};
constexpr ErrorKind kCrossFeature{
    "spec.cross_hashed",
    "'{0}' is a {1} and cannot be crossed: cross its raw feature, feature: \"{2}\"."};
constexpr ErrorKind kCrossBelow{
    "spec.cross_weighted",
    "'{0}' is a {1} and cannot be crossed: cross the column '{2}' that it weights."};

void checkInput(const ColumnCheck& check, const FeatureColumn& source, const SpecPath& path)
{
    if (!gives(source, ColumnKind::IDS)) {
        check.report(
            path, error(ErrorCode::InvalidArgument, kCrossDense, source.name(), kindName(source),
                        gives(source, ColumnKind::NUMBERS) ? "numbers cut into a bucketized_column"
                                                           : "categorical column below it"));
        // What follows needs ids.
        return;
    }
    if (gives(source, ColumnKind::SEQUENCE)) {
        check.report(path, error(ErrorCode::InvalidArgument, kCrossSequence, source.name(),
                                 kindName(source)));
    }
    // crossed_by names what can be crossed in place of the column.
    for (const ColumnSource& instead : sourcesIn(source, columnKind(source).crossed_by())) {
        check.report(path, error(ErrorCode::InvalidArgument,
                                 instead.isColumn ? kCrossBelow : kCrossFeature, source.name(),
                                 kindName(source), instead.name));
    }
}

} // namespace

void checkCrossedColumn(const ColumnCheck& check)
{
    const CrossedColumn& column = check.column.crossed_column();
    for (int i = 0; i < column.key_size(); ++i) {
        const InputReference& key = column.key(i);
        const FeatureColumn* source =
            key.has_column() ? check.context.column(key.column()) : nullptr;
        if (source != nullptr) {
            checkInput(check, *source, check.path.child("key").element(i).child("column"));
        }
    }
}

void resolveCrossedColumn(FeatureColumn& column, const Experiment&, const ResolveOptions&)
{
    // Written out, so that a frozen experiment does not depend on TensorFlow's constant.
    if (column.crossed_column().hash_key() == 0) {
        column.mutable_crossed_column()->set_hash_key(kCrossHashKey);
    }
}

} // namespace cannery::spec
