// SPDX-License-Identifier: Apache-2.0
#include "core/export/program/record_program.h"

#include "core/data/typing/schema.h"
#include "core/export/program/python_text.h"
#include "core/spec/data.pb.h"

#include <cstddef>
#include <string_view>
#include <vector>

namespace cannery::exporting {

namespace {

using google::protobuf::Message;

const spec::TfRecordSource& recordsOf(const Message& source)
{
    return dynamic_cast<const spec::TfRecordSource&>(source);
}

/// Files as core/data/sources/record_folder.h finds them, rows as
/// core/data/sources/example_parser.h makes them.
constexpr std::string_view kReadRecords = R"(
def records_of(path):
    """The records of a TFRecord file, whatever its compression."""
    with open(path, 'rb') as stream:
        head = stream.read(8)
    packing = ('GZIP' if head[:2] == b'\x1f\x8b'
               else 'ZLIB' if head[:1] == b'\x78' and any(head[2:]) else '')
    return tf.compat.v1.io.tf_record_iterator(path, tf.io.TFRecordOptions(packing))


def holds_records(path):
    try:
        return os.path.isfile(path) and next(iter(records_of(path)), None) is not None
    except tf.errors.OpError:
        return False


def records_below(folder):
    """The record files of a folder and its splits, or of the nearest folder below."""
    level = [folder]
    while level:
        names = [[n for n in sorted(os.listdir(f)) if n[0] not in '._'] for f in level]
        inside = [os.path.join(f, n) for f, some in zip(level, names) for n in some]
        splits = [p for p in inside if os.path.basename(p).startswith('Split-')]
        files = inside + [p for s in splits for p in glob.glob(os.path.join(s, '[!._]*'))]
        found = [p for p in files if '.tfevents' not in os.path.basename(p) and holds_records(p)]
        if found:
            return found
        level = [p for p in inside if os.path.isdir(p) and p not in splits]
    raise ValueError('%s holds no TFRecord file' % folder)


def split_of(path):
    """The split of a file: Split-train/…, or …-train.tfrecord."""
    folder, name = os.path.split(path)
    if os.path.basename(folder).startswith('Split-'):
        return os.path.basename(folder)[len('Split-'):]
    stem, suffix, _ = name.partition('.tfrecord')
    return stem.rpartition('-')[2] if suffix and '-' in stem else ''


def text_of(number):
    text = str(number)
    return text[:-2] if text.endswith('.0') else text


def texts_of(feature):
    kind = feature.WhichOneof('kind')
    if kind is None:
        return []
    values = getattr(feature, kind).value
    return ([v.decode() for v in values] if kind == 'bytes_list'
            else [text_of(np.float32(v)) for v in values] if kind == 'float_list'
            else [str(v) for v in values])


def read(patterns, split=''):
    """The rows of TFRecord files, sorted by name, as dictionaries of texts."""
    files = []
    for pattern in patterns:
        for path in glob.glob(path_of(pattern)):
            files += records_below(path) if os.path.isdir(path) else [path]
    rows = []
    for path in sorted(files):
        if split and split_of(path) != split:
            continue
        for record in records_of(path):
            # A tf.Example is a tf.SequenceExample with nothing but its context.
            example = tf.train.SequenceExample.FromString(record)
            row = collections.defaultdict(str)
            for name, feature in example.context.feature.items():
                row[name] = '@BAR@'.join(texts_of(feature))
            for name, steps in example.feature_lists.feature_list.items():
                row[name] = '@BAR@'.join(t for step in steps.feature for t in texts_of(step))
            rows.append(row)
    return rows
)";

} // namespace

std::string recordReadFunction(const Message& /*source*/)
{
    constexpr std::string_view kPlace = "@BAR@";
    std::string text(kReadRecords);
    for (std::size_t at = text.find(kPlace); at != std::string::npos; at = text.find(kPlace)) {
        text.replace(at, kPlace.size(), 1, data::kListSeparator);
    }
    return text;
}

std::string recordReadCall(const Message& source)
{
    std::vector<std::string> files;
    for (const std::string& file : recordsOf(source).files()) {
        files.push_back(pythonText(file));
    }
    PythonCall call("read");
    call.add(pythonList(files));
    if (!recordsOf(source).split().empty()) {
        call.add("split", pythonText(recordsOf(source).split()));
    }
    return call.text();
}

void refuseRecordFields(const Message& source, const std::string& path, RefusedFields& refused)
{
    if (recordsOf(source).corrupt() == spec::BadRows::SKIP) {
        refused.add(path + ".tfrecord.corrupt", "a program stops at a damaged record");
    }
}

} // namespace cannery::exporting
