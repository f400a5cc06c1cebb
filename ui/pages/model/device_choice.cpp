// SPDX-License-Identifier: GPL-3.0-only
#include "ui/pages/model/device_choice.h"

#include "ui/document/experiment_document.h"
#include "ui/editors/tile_gallery.h"
#include "ui/models/formats.h"
#include "ui/pages/page_parts.h"
#include "ui/services/job_runner.h"
#include "ui/services/projects/project_session.h"
#include "ui/widgets/label.h"
#include "ui/widgets/style/theme.h"

#include <QCoreApplication>
#include <QJsonObject>
#include <QPointer>
#include <QThread>
#include <QVBoxLayout>

#include <algorithm>

namespace cannery::ui {
namespace {

const QString kAutomatic = QStringLiteral("auto");
const QString kProcessor = QStringLiteral("CPU:0");

class Words
{
    Q_DECLARE_TR_FUNCTIONS(DeviceChoice)

public:
    static TileGallery::Tile automatic()
    {
        return {.id = kAutomatic,
                .title = tr("Automatic"),
                .sentence = tr("The faster of CPU and GPU: a training tries both for a moment."),
                .sketch = TileGallery::Sketch::Device};
    }

    static TileGallery::Tile of(const GpuFacts& gpu)
    {
        return {.id = gpu.device,
                .title = gpu.name,
                .sentence = tr("%1, driver %2.").arg(gpu.device, gpu.driver),
                .details = tr("%1 of memory, %2 free.")
                               .arg(formatBytes(gpu.memoryBytes), formatBytes(gpu.freeBytes)),
                .hindrance = gpu.problem,
                .sketch = TileGallery::Sketch::Device};
    }

    static TileGallery::Tile none(const QString& why)
    {
        return {.id = QStringLiteral("none"),
                .title = tr("GPU"),
                .hindrance = why,
                .sketch = TileGallery::Sketch::Device};
    }

    static TileGallery::Tile unknown(const QString& device)
    {
        return {.id = device,
                .title = device,
                .sentence = tr("This machine does not have it now."),
                .sketch = TileGallery::Sketch::Device};
    }
};

} // namespace

DeviceChoice::DeviceChoice(ProjectSession& session, QWidget* parent)
    : QWidget(parent), m_session(&session), m_tiles(new TileGallery(220))
{
    m_tiles->setObjectName("tiles.device");
    m_tiles->setAccessibleName(tr("Device"));
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(scaled(8));
    column->addWidget(new Label(tr("Device"), TextRole::LabelStrong));
    column->addWidget(m_tiles);
    connect(m_tiles, &TileGallery::chosen, this, &DeviceChoice::choose);
}

void DeviceChoice::setField(const QString& path)
{
    m_field = path;
    setVisible(!path.isEmpty());
    refresh();
}

void DeviceChoice::showEvent(QShowEvent* event)
{
    QWidget::showEvent(event);
    look();
}

// Each time it is shown: a GPU can be taken or added while the program runs.
void DeviceChoice::look()
{
    if (m_job != 0) {
        return;
    }
    const CommandLine command{.arguments = {QStringLiteral("doctor")},
                              .machineArguments = {QStringLiteral("--json")}};
    m_job = m_session->jobs().run(
        tr("Looking for devices"), command,
        [this, alive = QPointer<QObject>(this)](const JobRunner::Outcome& outcome) {
            // The page may be closed before the engine answers.
            if (!alive) {
                return;
            }
            m_job = 0;
            if (outcome.ok) {
                m_facts = deviceFactsFromJson(outcome.json.object());
                refresh();
                Q_EMIT found();
            }
        },
        true);
}

void DeviceChoice::choose(const QString& device)
{
    if (device != chosen()) {
        m_session->document().setValue(m_field, device);
    }
}

QString DeviceChoice::chosen() const
{
    return plainDeviceName(m_session->document().value(m_field));
}

QString DeviceChoice::threads() const
{
    const qint64 set =
        m_session->document().value(QStringLiteral("run_config.threads")).toLongLong();
    const int own = m_facts.threads > 0 ? m_facts.threads : QThread::idealThreadCount();
    return counted(set > 0 ? set : own, tr("one thread"), tr("%1 threads"));
}

QString DeviceChoice::chosenInWords() const
{
    const QString device = chosen();
    if (m_field.isEmpty() || device.startsWith(QLatin1String("CPU"))) {
        return tr("CPU, %1").arg(threads());
    }
    if (device == kAutomatic) {
        return tr("The faster of GPU and CPU, %1").arg(threads());
    }
    const auto gpu = std::find_if(m_facts.gpus.begin(), m_facts.gpus.end(),
                                  [&](const GpuFacts& one) { return one.device == device; });
    return gpu == m_facts.gpus.end() ? device : tr("%1 (%2)").arg(device, gpu->name);
}

void DeviceChoice::refresh()
{
    if (m_field.isEmpty()) {
        return;
    }
    const QString device = chosen();
    QList<TileGallery::Tile> tiles{Words::automatic(),
                                   {.id = kProcessor,
                                    .title = tr("CPU"),
                                    .sentence = m_facts.processor,
                                    .details = threads(),
                                    .sketch = TileGallery::Sketch::Device}};
    for (const GpuFacts& gpu : m_facts.gpus) {
        tiles.append(Words::of(gpu));
    }
    if (!m_facts.noGpu.isEmpty()) {
        tiles.append(Words::none(m_facts.noGpu));
    }
    const bool isListed =
        std::any_of(tiles.begin(), tiles.end(),
                    [&](const TileGallery::Tile& tile) { return tile.id == device; });
    // Known only once the engine has answered: before, no GPU is listed.
    if (!isListed && !m_facts.processor.isEmpty()) {
        tiles.append(Words::unknown(device));
    }
    m_tiles->setEnabled(m_session->document().edits().hindrance().isEmpty());
    m_tiles->setTiles(tiles);
    m_tiles->setCurrent(device);
}

} // namespace cannery::ui
