// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

/// Functions of a program that are the same for every experiment which needs them.
namespace cannery::exporting::fragments {

inline constexpr std::string_view kPath = R"(
def path_of(name):
    """A path of the experiment, which is relative to its folder."""
    return os.path.join(FOLDER, name)
)";

/// data.split.by_time, as core/base/iso_time.h reads times.
inline constexpr std::string_view kTime = R"(
TIME = re.compile(r'(\d{4})(?:-(\d\d)(?:-(\d\d))?|(\d\d)(\d\d))?'
                  r'(?:[Tt ](\d\d)(?::?(\d\d)(?::?(\d\d)(?:[.,](\d+))?)?)?'
                  r'(?:[Zz]|([+-])(\d\d)(?::?(\d\d))?)?)?$')


def iso_time(text):
    """Seconds since 1970, the digits of their fraction, and by how much the clock is ahead."""
    match = TIME.match(text.strip())
    if match is None:
        raise ValueError('not a time: %s' % text)
    year, month, day, month2, day2, hour, minute, second, fraction, sign, hours, minutes = (
        match.groups())
    date = datetime.date(int(year), int(month or month2 or 1), int(day or day2 or 1))
    days = date.toordinal() - datetime.date(1970, 1, 1).toordinal()
    seconds = days * 86400 + int(hour or 0) * 3600 + int(minute or 0) * 60 + int(second or 0)
    east = int(hours or 0) * 3600 + int(minutes or 0) * 60
    east = -east if sign == '-' else east
    return seconds - east, (fraction or '').rstrip('0'), east
)";

/// data.bad_rows: SKIP.
inline constexpr std::string_view kReadable = R"(
def readable(rows):
    """The rows without those that cannot be read."""
    kept = []
    for row in rows:
        if None in row or None in row.values():
            continue  # too many or too few cells
        try:
            for column, (kind, _, missing) in TABLE.items():
                if row[column] not in missing:
                    kind(row[column])@TIME@
        except ValueError:
            continue
        kept.append(row)
    return kept
)";

/// data.unlabelled_rows and data.bad_rows, behind the split.
inline constexpr std::string_view kUsable = R"(
def usable(part):
    """A part without the rows that the model cannot use."""
    def kept(is_training):
        return [row for row in part(is_training)
                if @RULES@]

    return kept
)";

inline constexpr std::string_view kValue = R"(
def value(row, column):
    """The cell of a column; missing cells have the column's default."""
    kind, default, missing = TABLE[column]
    text = row[column]
    if text in missing:
        if default is None:
            raise ValueError('%s: a number is missing: %s' % (column, row))
        return default
    return kind(text)
)";

inline constexpr std::string_view kDense = R"(
def dense(rows, column):
    return np.array([value(row, column) for row in rows], DTYPES[TABLE[column][0]])
)";

inline constexpr std::string_view kStacked = R"(
def stacked(rows, columns, shape, dtype):
    """Several columns side by side."""
    table = [[value(row, column) for column in columns] for row in rows]
    return np.array(table, dtype).reshape([-1] + shape)
)";

inline constexpr std::string_view kPieces = R"(
def pieces(rows, column, separator, kind, dtype):
    """The values in each cell of a column, of which empty ones are dropped."""
    cells = [[kind(t) for t in str(value(row, column)).split(separator) if t] for row in rows]
    width = max([1] + [len(cell) for cell in cells])
    where = [[i, j] for i, cell in enumerate(cells) for j in range(len(cell))]
    return tf.SparseTensor(np.array(where, np.int64).reshape(-1, 2),
                           np.array([v for cell in cells for v in cell], dtype),
                           [len(cells), width])
)";

inline constexpr std::string_view kTrimmed = R"(
def trimmed(features, *labels):
    """A batch whose lists are as wide as its longest, as recurrent networks count steps."""
    made = dict(features)
    for name, value in features.items():
        if isinstance(value, tf.SparseTensor):
            width = tf.reduce_max(tf.concat([[tf.constant(1, tf.int64)], value.indices[:, 1] + 1], 0))
            made[name] = tf.SparseTensor(value.indices, value.values,
                                         tf.stack([value.dense_shape[0], width]))
    return (made, *labels) if labels else made
)";

/// What core/data/rows/row_splitter.h chooses rows at random with.
inline constexpr std::string_view kPermutation = R"(
def mix(value):
    """The finalizer of SplitMix64."""
    value = (value + 0x9E3779B97F4A7C15) % 2**64
    value = (value ^ value >> 30) * 0xBF58476D1CE4E5B9 % 2**64
    value = (value ^ value >> 27) * 0x94D049BB133111EB % 2**64
    return value ^ value >> 31


def permuted(position, size, key):
    """The element at a position of a permutation: a Feistel network, walked until it is in range."""
    bits = max(2, (size - 1).bit_length())
    low_bits = bits // 2
    low_mask, high_mask = 2**low_bits - 1, 2**(bits - low_bits) - 1
    while True:
        low, high = position & low_mask, position >> low_bits
        for turn in range(0, 8, 2):
            low = low + mix(key ^ mix((high + (turn << 58)) % 2**64)) & low_mask
            high = high + mix(key ^ mix((low + (turn + 1 << 58)) % 2**64)) & high_mask
        position = high << low_bits | low
        if position < size:
            return position


def place(number, class_key, size):
    """The place of a row (by its number within its class) in its group of so many rows."""
    key = mix(mix(SPLIT_SEED ^ mix(class_key)) ^
              mix((number // size + 0x632BE59BD9B4E019) % 2**64))
    return permuted(number % size, size, key)
)";

/// The rows that data.split.fraction holds back.
inline constexpr std::string_view kFraction = R"(
def is_held_back(number, class_key):
    """Whether the row with this number (within its class) is for evaluation."""
    size = int(min(max(np.floor(1 / min(EVAL_FRACTION, 1 - EVAL_FRACTION) + 0.5), 2), 1e6))
    group = number // size
    quota = (np.floor((group + 1) * size * EVAL_FRACTION + 1e-9) -
             np.floor(group * size * EVAL_FRACTION + 1e-9))
    return place(number, class_key, size) < quota
)";

/// The rows that data.split.fold holds back.
inline constexpr std::string_view kFold = R"(
def is_held_back(number, class_key):
    """Whether the row with this number (within its class) is for evaluation."""
    return place(number, class_key, FOLDS) == FOLD
)";

inline constexpr std::string_view kFingerprints = R"(
def fingerprints(texts):
    """Fingerprint64 of each text."""
    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        hashes = session.run(tf.raw_ops.Fingerprint(data=texts, method='farmhash64'))
    return hashes.view('<u8').ravel().tolist()
)";

inline constexpr std::string_view kInput = R"(
def input_fn(is_training, batch_size, shuffle, seed, epochs, drop_remainder@ROWS_ARGUMENT@):
    def make(input_context=None):
        @ROWS@
        dataset = tf.data.Dataset.from_tensor_slices(@SLICES@)
        if shuffle:
            dataset = dataset.shuffle(len(rows), seed=seed)
        dataset = dataset.repeat(epochs).batch(batch_size, drop_remainder=drop_remainder)@TRIM@
        if input_context is not None:
            dataset = dataset.shard(input_context.num_input_pipelines,
                                    input_context.input_pipeline_id)
        return dataset

    return make
)";

} // namespace cannery::exporting::fragments
