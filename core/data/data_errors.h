// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/error.h"

namespace cannery::data {

constexpr ErrorKind kNoSuchColumn{"data.no_such_column", "{} has no column \"{}\".{}"};
constexpr ErrorKind kNoSuchFeature{"data.no_such_feature", "The data has no feature \"{}\".{}"};
constexpr ErrorKind kBadDelimiter{
    "data.bad_delimiter",
    "field_delim is \"{}\"; it must be one character, not a quote or a line end."};
constexpr ErrorKind kBadQuoteChar{
    "data.bad_quote_char",
    "{} is \"{}\"; it must be one character other than the delimiter, not a letter, digit or line "
    "end."};
constexpr ErrorKind kBadDefault{
    "data.bad_default",
    "The default value \"{}\" of column {} is not a valid {}. Correct one of them."};
constexpr ErrorKind kNoRows{"data.no_rows",
                            "{} has a header but no rows. Name a file that has at least one row."};
constexpr ErrorKind kEmptyPart{
    "data.empty_part",
    "The split leaves no rows for {}. Change its fraction, its number of folds, its values for "
    "evaluation or its time."};
constexpr ErrorKind kNotATime{
    "data.not_a_time",
    "{}:{}: \"{}\" in column {}, which splits the rows, is not a date or time {}. Correct it, set "
    "date_notation of the column if its dates are written in another way, or set bad_rows to "
    "SKIP."};
constexpr ErrorKind kNotADate{"data.not_a_date", "{}:{}: \"{}\" in column {}, of which the feature "
                                                 "{} is made, is not a date or time {}. Correct "
                                                 "it, make it a missing_token of the column, or "
                                                 "set date_notation of the column if its dates are "
                                                 "written in another way."};
constexpr ErrorKind kBadOrigin{
    "data.bad_origin", "The origin of feature {} is \"{}\"; it must be a date or time in ISO 8601, "
                       "such as 2024-05-01."};
constexpr ErrorKind kBadEvalFrom{
    "data.bad_eval_from",
    "eval_from of the split is \"{}\"; it must be a date or time in ISO 8601, "
    "such as 2024-05-01."};
constexpr ErrorKind kNoEval{"data.no_eval", "There is no data to evaluate on. Add eval {{ csv {{ "
                                            "files: \"eval.csv\" }} }} or a split to data."};
constexpr ErrorKind kEvalAndSplit{"data.eval_and_split",
                                  "The data has both eval and split. Keep one of them."};
constexpr ErrorKind kNoTrain{
    "data.no_train", "There is no training data. Add train {{ csv {{ files: \"train.csv\" }} }} "
                     "to data."};
constexpr ErrorKind kNoLabel{"data.no_label",
                             "{} has no label column \"{}\".{} Name the label in data.label."};
constexpr ErrorKind kLabelUnset{
    "data.label_unset", "The data names no label. Write label {{ column: \"...\" }} in data."};
constexpr ErrorKind kBadPiece{"data.bad_piece",
                              "{}:{}: the piece \"{}\" of feature {} is not a valid {}. Correct "
                              "it, read the pieces as string, or set bad_rows to SKIP."};
constexpr ErrorKind kStackShape{
    "data.stack_shape", "Feature {} stacks {} columns, but its shape {} holds {} elements."};
constexpr ErrorKind kStackedArray{
    "data.stacked_array",
    "Feature {} stacks column {}, whose cells are arrays. Use the column as a "
    "feature of its own."};
constexpr ErrorKind kTooManyClasses{
    "data.too_many_classes",
    "The label has more than {} different values, too many to stratify. Set stratify to false."};
constexpr ErrorKind kBadFraction{"data.bad_fraction",
                                 "eval_fraction is {}; it must be greater than 0 and less than 1."};
constexpr ErrorKind kBadFold{"data.bad_fold",
                             "fold is {} of {}; folds are counted from 0, and there must be two."};

} // namespace cannery::data
