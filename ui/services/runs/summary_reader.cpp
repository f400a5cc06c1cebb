// SPDX-License-Identifier: GPL-3.0-only
#include "ui/services/runs/summary_reader.h"

#include "core/base/memory_guard.h"
#include "storage/io/files.h"
#include "storage/tf/events/summary_values.h"
#include "storage/tf/message_limits.h"
#include "ui/services/runs/event_folders.h"
#include "ui/services/runs/keras_graph.h"

#include <QElapsedTimer>

#include <algorithm>
#include <utility>

namespace cannery::ui {

namespace {

constexpr std::size_t kLongestText = 100'000;
constexpr std::size_t kMostImages = 16;
/// What an object and its place in the lists take, roughly.
constexpr qint64 kOverhead = 200;

static_assert(kBoundShares == storage::kBasisPoints);

QString text(std::string_view utf8)
{
    return QString::fromUtf8(utf8.data(), qsizetype(utf8.size()));
}

HistogramStep histogramStep(const storage::EventHistogram& logged)
{
    storage::HistogramBins bins = storage::binsOf(logged);
    HistogramStep step;
    step.min = bins.min;
    step.max = bins.max;
    step.count = bins.count;
    step.bounds = storage::boundsOf(bins);
    step.edges = std::move(bins.edges);
    step.counts = std::move(bins.counts);
    return step;
}

ImageStep imageStep(const std::vector<std::string>& images)
{
    ImageStep step;
    for (std::size_t i = 0; i < std::min(images.size(), kMostImages); ++i) {
        step.encoded.append(QByteArray::fromStdString(images[i]));
    }
    return step;
}

qint64 bytesOf(const ImageStep& step)
{
    qint64 bytes = kOverhead;
    for (const QByteArray& image : step.encoded) {
        bytes += image.size();
    }
    return bytes;
}

PrCurveStep prCurveStep(storage::PrCurve curve)
{
    PrCurveStep step;
    step.precision = std::move(curve.precision);
    step.recall = std::move(curve.recall);
    step.truePositives = std::move(curve.truePositives);
    step.falsePositives = std::move(curve.falsePositives);
    step.trueNegatives = std::move(curve.trueNegatives);
    step.falseNegatives = std::move(curve.falseNegatives);
    return step;
}

/// "float32 [?, 4]" of the attributes that most operations have.
QString typeOf(const storage::GraphNode& node)
{
    QString type;
    // "dtype" of constants and variables, "T" of most operations, "DstT" of Cast, "out_type" of
    // Shape and its like.
    for (const char* attribute : {"dtype", "T", "DstT", "out_type"}) {
        const auto found = node.attrs.find(attribute);
        if (found == node.attrs.end()) {
            continue;
        }
        if (const auto* dtype = std::get_if<DType>(&found->second.value())) {
            type = text(name(*dtype));
            break;
        }
    }
    const Shape* shape = nullptr;
    // A constant has its shape in its value; "_output_shapes" is there only if TensorFlow inferred
    // it.
    if (const auto value = node.attrs.find("value"); value != node.attrs.end()) {
        const auto* tensor = std::get_if<storage::HostTensor>(&value->second.value());
        shape = tensor ? &tensor->shape : nullptr;
    }
    for (const char* attribute : {"_output_shapes", "shape"}) {
        const auto found = node.attrs.find(attribute);
        if (shape || found == node.attrs.end()) {
            continue;
        }
        shape = std::get_if<Shape>(&found->second.value());
        const auto* list = std::get_if<std::vector<Shape>>(&found->second.value());
        shape = list && !list->empty() ? &list->front() : shape;
    }
    if (shape) {
        type += (type.isEmpty() ? "" : " ") + text(shape->toString());
    }
    return type;
}

} // namespace

SummaryReader::SummaryReader(QString folder, qint64 mostBytes)
    : m_path(std::move(folder)), m_mostBytes(mostBytes)
{}

bool SummaryReader::read(bool looks, int milliseconds)
{
    if (looks) {
        look();
    }
    QElapsedTimer clock;
    clock.start();
    bool isLeft = true;
    while (isLeft && clock.elapsed() < milliseconds) {
        // One event a turn of the loop: the first folder with something left is read to its end,
        // then the next.
        isLeft = std::any_of(m_folders.begin(), m_folders.end(),
                             [this](Folder& folder) { return readEvent(folder); });
    }
    // Only after all events: a graph in them is the newer one.
    if (!isLeft && m_graphs.isEmpty() && m_kerasGraphs.isEmpty() && !m_hasGraphFile) {
        readGraphFile();
    }
    return isLeft;
}

void SummaryReader::look()
{
    const QList<EventFolder> found = eventFoldersOfRun(m_path);
    const auto isGone = [&](const Folder& folder) {
        return std::none_of(found.begin(), found.end(), [&](const EventFolder& row) {
            return row.key == folder.key && row.path.toStdString() == folder.files->folder();
        });
    };
    if (std::any_of(m_folders.begin(), m_folders.end(), isGone)) {
        startAnew();
    }
    for (const EventFolder& row : found) {
        const bool isKnown =
            std::any_of(m_folders.begin(), m_folders.end(),
                        [&](const Folder& folder) { return folder.key == row.key; });
        if (!isKnown) {
            Folder folder;
            folder.key = row.key;
            folder.files = std::make_unique<EventFileList>(row.path.toStdString());
            m_folders.push_back(std::move(folder));
        }
    }
    for (const Folder& folder : m_folders) {
        if (folder.files->look() == EventFileList::Look::Replaced) {
            startAnew();
            look();
            return;
        }
    }
}

/// Values of files that are gone cannot be separated from the others, so everything is read again.
void SummaryReader::startAnew()
{
    *this = SummaryReader(m_path, m_mostBytes);
}

/// False if everything in the folder has been read.
bool SummaryReader::readEvent(Folder& folder)
{
    EventFileState* file = folder.files->next();
    if (!file) {
        return false;
    }
    if (!folder.reader || folder.current != file->number) {
        auto reader =
            storage::EventReader::open(folder.files->pathOf(*file), file->position, folder.plugins);
        if (!reader) {
            finish(folder, *file, reader.error().message());
            return true;
        }
        folder.reader = std::move(*reader);
        folder.current = file->number;
    }
    const Result<std::optional<storage::Event>> event = folder.reader->next();
    // Also after an error, so that the next try begins where this one ended.
    file->position = folder.reader->position();
    if (!event) {
        finish(folder, *file, event.error().message());
    } else if (!*event) {
        finish(folder, *file, {});
    } else {
        // A value may be larger than memory. It is left out and counted; the reading goes on.
        const Result<void> taken = guardMemory(folder.reader->path(), [&]() -> Result<void> {
            take(folder.key, **event);
            return {};
        });
        m_leftOut += taken ? 0 : 1;
    }
    return true;
}

void SummaryReader::finish(Folder& folder, EventFileState& file, const std::string& problem)
{
    if (folder.reader) {
        // TensorFlow writes a tag's plugin with its first value only, which may be in an earlier
        // file.
        folder.plugins = folder.reader->plugins();
    }
    folder.reader.reset();
    folder.files->exhaust(file, problem);
}

void SummaryReader::take(const QString& folder, const storage::Event& event)
{
    switch (event.kind) {
    case storage::Event::Kind::Graph:
        takeGraph(folder, storage::readGraphDef(event.text));
        break;
    case storage::Event::Kind::SessionLog: {
        // SessionLog.START of TensorFlow's event.proto.
        constexpr int kStart = 1;
        if (event.sessionStatus == kStart) {
            dropFrom(folder, event.step);
        }
        break;
    }
    default:
        for (const storage::EventValue& value : event.values) {
            takeValue(folder, event, value);
        }
    }
}

void SummaryReader::takeValue(const QString& folder, const storage::Event& event,
                              const storage::EventValue& value)
{
    const auto at = [&](auto step) {
        step.step = event.step;
        step.wallTime = event.wallTime;
        return step;
    };
    const auto key = [&] { return SummaryKey{folder, text(value.tag)}; };
    // Scalars, the bulk of most files, are the business of SeriesStore.
    if (std::holds_alternative<float>(value.value)) {
        return;
    }
    // Bytes of each kind are those of its numbers: two doubles a bin, 16-bit characters, six
    // doubles a threshold.
    if (const auto* histogram = std::get_if<storage::EventHistogram>(&value.value)) {
        HistogramStep step = at(histogramStep(*histogram));
        const auto bytes = qint64(16 * step.edges.size()) + kOverhead;
        keep(m_histograms, key(), std::move(step), bytes);
    } else if (const auto markdown = storage::markdownOf(value)) {
        TextStep step = at(TextStep());
        step.markdown = text(std::string_view(*markdown).substr(0, kLongestText));
        const qint64 bytes = 2 * step.markdown.size() + kOverhead;
        keep(m_texts, key(), std::move(step), bytes);
    } else if (const auto images = storage::imagesOf(value); !images.empty()) {
        ImageStep step = at(imageStep(images));
        const qint64 bytes = bytesOf(step);
        keep(m_images, key(), std::move(step), bytes);
    } else if (auto curve = storage::prCurveOf(value)) {
        const auto bytes = qint64(48 * curve->precision.size()) + kOverhead;
        keep(m_prCurves, key(), at(prCurveStep(std::move(*curve))), bytes);
    } else if (const auto model = storage::kerasModelOf(value)) {
        takeKerasModel(folder, *model);
    } else if (storage::isAudio(value) && m_sounds.size() < kMostTags) {
        // Sounds are only counted: the window does not play them.
        ++m_sounds[key()];
    }
}

/// The file that TensorFlow's estimators, and ours, write besides the events.
void SummaryReader::readGraphFile()
{
    const auto training = std::find_if(m_folders.begin(), m_folders.end(),
                                       [](const Folder& folder) { return folder.key.isEmpty(); });
    const std::string path = storage::joinPath(
        training == m_folders.end() ? m_path.toStdString() : training->files->folder(),
        "graph.pbtxt");
    if (!storage::exists(path)) {
        return;
    }
    m_hasGraphFile = true;
    const Result<std::string> file = storage::readWholeFile(path, storage::kMaxMessageBytes);
    const Result<std::vector<storage::GraphNode>> nodes =
        file ? storage::readGraphDefText(*file) : tl::make_unexpected(file.error());
    if (nodes) {
        takeGraph(QString(), nodes);
    } else {
        m_graphProblem = text(path + ": " + nodes.error().message());
    }
}

void SummaryReader::takeGraph(const QString& folder,
                              const Result<std::vector<storage::GraphNode>>& nodes)
{
    if (!nodes) {
        ++m_leftOut;
        return;
    }
    auto graph = std::make_shared<RunGraph>();
    graph->nodes.reserve(nodes->size());
    const auto texts = [](const std::vector<std::string>& names) {
        QStringList list;
        for (const std::string& one : names) {
            list.append(text(one));
        }
        return list;
    };
    for (const storage::GraphNode& node : *nodes) {
        graph->nodes.push_back({text(node.name), text(node.op), texts(node.inputs),
                                texts(node.controls), typeOf(node)});
    }
    m_graphs.insert(folder, std::move(graph));
}

void SummaryReader::takeKerasModel(const QString& folder, const std::string& json)
{
    if (auto graph = kerasGraph(QByteArray::fromStdString(json))) {
        m_kerasGraphs.insert(folder, std::move(graph));
    } else {
        ++m_leftOut;
    }
}

/// A session began at this step: what was logged from there on will be logged again.
void SummaryReader::dropFrom(const QString& folder, qint64 step)
{
    const auto drop = [&](auto& shelves) {
        for (auto& [key, shelf] : shelves) {
            if (key.folder == folder) {
                m_bytes -= shelf.bytes();
                shelf.dropFrom(step);
                m_bytes += shelf.bytes();
            }
        }
    };
    drop(m_histograms);
    drop(m_texts);
    drop(m_images);
    drop(m_prCurves);
}

template <typename Step>
void SummaryReader::keep(std::map<SummaryKey, StepReservoir<Step>>& shelves, const SummaryKey& key,
                         Step step, qint64 bytes)
{
    auto shelf = shelves.find(key);
    // makeRoom() frees half, so a value larger than that would never fit.
    if (bytes > m_mostBytes / 2 ||
        (shelf == shelves.end() && qint64(shelves.size()) >= kMostTags)) {
        ++m_leftOut;
        return;
    }
    if (m_bytes + bytes > m_mostBytes) {
        makeRoom();
    }
    if (m_bytes + bytes > m_mostBytes) {
        ++m_leftOut;
        return;
    }
    if (shelf == shelves.end()) {
        shelf = shelves.try_emplace(key).first;
    }
    m_bytes -= shelf->second.bytes();
    shelf->second.add(std::make_shared<const Step>(std::move(step)), bytes);
    m_bytes += shelf->second.bytes();
}

/// Thins out the largest tags of every kind until half of the room is free or nothing is left to
/// drop.
void SummaryReader::makeRoom()
{
    bool hasThinned = true;
    while (hasThinned && m_bytes > m_mostBytes / 2) {
        hasThinned = false;
        const auto thin = [&](auto& shelves) {
            qint64 most = 0;
            for (const auto& [key, shelf] : shelves) {
                most = std::max(most, shelf.bytes());
            }
            for (auto& [key, shelf] : shelves) {
                const qint64 before = shelf.bytes();
                // Tags within half of the largest are thinned together: one alone would be the
                // largest no more, and the loop would take a turn for each.
                if (2 * before >= most && m_bytes > m_mostBytes / 2 && shelf.thinOut()) {
                    m_bytes -= before - shelf.bytes();
                    hasThinned = true;
                }
            }
        };
        // Pictures first, which take most; texts last.
        thin(m_images);
        thin(m_histograms);
        thin(m_prCurves);
        thin(m_texts);
    }
}

RunSummaries SummaryReader::summaries() const
{
    RunSummaries summaries;
    const auto copy = [](const auto& shelves, auto& out) {
        for (const auto& [key, shelf] : shelves) {
            if (!shelf.isEmpty()) {
                out.insert(key, shelf.history());
            }
        }
    };
    copy(m_histograms, summaries.histograms);
    copy(m_texts, summaries.texts);
    copy(m_images, summaries.images);
    copy(m_prCurves, summaries.prCurves);
    summaries.sounds = m_sounds;
    // A graph of operations replaces the Keras model of its folder.
    summaries.graphs = m_kerasGraphs;
    summaries.graphs.insert(m_graphs);
    summaries.leftOut = m_leftOut;
    std::uint64_t total = 0;
    std::uint64_t done = 0;
    for (const Folder& folder : m_folders) {
        total += folder.files->totalBytes();
        done += folder.files->doneBytes();
        if (summaries.problem.isEmpty()) {
            summaries.problem = text(folder.files->problem());
        }
    }
    if (summaries.problem.isEmpty() && summaries.graphs.isEmpty()) {
        summaries.problem = m_graphProblem;
    }
    summaries.loadedFraction = total == 0 ? 1 : double(done) / double(total);
    return summaries;
}

} // namespace cannery::ui
