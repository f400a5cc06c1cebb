// SPDX-License-Identifier: GPL-3.0-only
#include "tests/ui/widgets/parts_gallery.h"

#include "ui/widgets/button.h"
#include "ui/widgets/card.h"
#include "ui/widgets/elided_label.h"
#include "ui/widgets/empty_state.h"
#include "ui/widgets/fact_row.h"
#include "ui/widgets/flow_layout.h"
#include "ui/widgets/icon_button.h"
#include "ui/widgets/key_value_list.h"
#include "ui/widgets/link_label.h"
#include "ui/widgets/page_header.h"
#include "ui/widgets/pill.h"
#include "ui/widgets/progress_bar.h"
#include "ui/widgets/search_field.h"
#include "ui/widgets/segmented.h"
#include "ui/widgets/sparkline.h"
#include "ui/widgets/strip.h"
#include "ui/widgets/style/icons.h"
#include "ui/widgets/table_view.h"

#include <QAction>
#include <QCheckBox>
#include <QComboBox>
#include <QDir>
#include <QGridLayout>
#include <QHeaderView>
#include <QRadioButton>
#include <QSlider>
#include <QSpinBox>
#include <QStandardItemModel>
#include <QVBoxLayout>

#include <cmath>

using namespace cannery::ui;

namespace cannery::tests {
namespace {

Card* buttonsCard(QWidget* parent)
{
    auto* card = new Card("Buttons", parent);
    auto* plain = new FlowLayout(nullptr, 8);
    auto* disabled = new Button(Button::Kind::Plain, "Disabled", card);
    disabled->setEnabled(false);
    plain->addWidget(new Button(Button::Kind::Plain, "Add Files…", card));
    plain->addWidget(new Button(Button::Kind::Plain, "player-pause", "Pause", card));
    plain->addWidget(disabled);
    card->body()->addLayout(plain);
    auto* primary = new FlowLayout(nullptr, 8);
    primary->addWidget(new Button(Button::Kind::Primary, "player-play", "Train", card));
    auto* off = new Button(Button::Kind::Primary, "player-play", "Train", card);
    off->setEnabled(false);
    primary->addWidget(off);
    primary->addWidget(new Button(Button::Kind::Quiet, "Dismiss", card));
    primary->addWidget(new Button(Button::Kind::Link, "Show Rows", card));
    primary->addWidget(new Button(Button::Kind::Danger, "trash", "Delete Now", card));
    primary->addWidget(new IconButton("dots", "More", card));
    card->body()->addLayout(primary);
    card->body()->addStretch(1);
    return card;
}

Card* fieldsCard(QWidget* parent)
{
    auto* card = new Card("Fields", parent);
    auto* row = new FlowLayout(nullptr, 8);
    auto* combo = new QComboBox(card);
    combo->addItems({"Adagrad", "Adam", "Ftrl"});
    combo->setAccessibleName("Optimizer");
    auto* spin = new QSpinBox(card);
    spin->setValue(32);
    spin->setAccessibleName("Batch size");
    auto* wrong = new QLineEdit("-1", card);
    wrong->setProperty("problem", true);
    wrong->setAccessibleName("Decay");
    row->addWidget(combo);
    row->addWidget(spin);
    row->addWidget(wrong);
    row->addWidget(new SearchField("Filter runs", card));
    card->body()->addLayout(row);
    auto* choices = new FlowLayout(nullptr, 16);
    auto* on = new QCheckBox("Checked", card);
    on->setChecked(true);
    auto* off = new QCheckBox("Disabled", card);
    off->setEnabled(false);
    auto* radio = new QRadioButton("Random", card);
    radio->setChecked(true);
    choices->addWidget(on);
    choices->addWidget(new QCheckBox("Off", card));
    choices->addWidget(off);
    choices->addWidget(radio);
    choices->addWidget(new QRadioButton("By time", card));
    choices->addWidget(new Segmented({"ROC", "PR", "Lift"}, card));
    card->body()->addLayout(choices);
    auto* slider = new QSlider(Qt::Horizontal, card);
    slider->setValue(60);
    slider->setAccessibleName("Smoothing");
    card->body()->addWidget(slider);
    auto* progress = new ProgressBar(card);
    progress->setAccessibleName("Progress");
    progress->setFraction(0.62);
    progress->setMarks({0.166, 0.333, 0.5});
    card->body()->addWidget(progress);
    return card;
}

Card* statesCard(QWidget* parent)
{
    auto* card = new Card("Run states", parent);
    auto* row = new FlowLayout(nullptr, 8);
    for (const RunState state :
         {RunState::Running, RunState::Paused, RunState::Finished, RunState::Failed,
          RunState::Interrupted, RunState::Stopped, RunState::Queued}) {
        row->addWidget(statePill(state, card));
    }
    card->body()->addLayout(row);
    auto* facts = new FactRow(card);
    facts->setFacts(
        {{"7,440", "of 12,000 steps", {}}, {"39 s", "left", {}}, {"118", "steps/s", {}}});
    card->body()->addWidget(facts);
    auto* spark = new Sparkline(card);
    QList<double> values;
    for (int i = 0; i < 40; ++i) {
        values += std::exp(-i / 8.0) + 0.1 * std::sin(i * 1.7);
    }
    spark->setValues(values);
    card->body()->addWidget(spark);
    return card;
}

Card* typeCard(QWidget* parent)
{
    auto* card = new Card("Type, tabular figures", parent);
    const auto line = [&](const QString& words, const QString& number, TextRole role, Ink ink) {
        auto* row = new QHBoxLayout;
        row->addWidget(new Label(words, role, ink, card));
        row->addStretch(1);
        row->addWidget(new Label(number, role, ink, card));
        card->body()->addLayout(row);
    };
    line("Page title", "1,111.1", TextRole::PageTitle, Ink::Text);
    line("Section", "8,888.8", TextRole::Section, Ink::Text);
    line("Body", "7,440", TextRole::Body, Ink::Text);
    line("Label", "−0.0315", TextRole::Label, Ink::Secondary);
    line("Code", "0x1F", TextRole::Code, Ink::Secondary);
    auto* list = new KeyValueList(card);
    list->setRows({{"Rows", "627", {}}, {"Fingerprint", "9f3a 11c0", {}}});
    card->body()->addWidget(list);
    return card;
}

/// All icons on one sheet, for inspection.
Card* iconsCard(QWidget* parent)
{
    auto* card = new Card("Icons", parent);
    auto* flow = new FlowLayout(nullptr, 2);
    for (const QString& file : QDir(":/icons").entryList({"*.svg"})) {
        flow->addWidget(new IconButton(file.chopped(4), file, card));
    }
    card->body()->addLayout(flow);
    return card;
}

TableView* table(QWidget* parent)
{
    auto* model = new QStandardItemModel(4, 3, parent);
    model->setHorizontalHeaderLabels({"Run", "AUC", "Loss"});
    for (int row = 0; row < 4; ++row) {
        model->setItem(row, 0,
                       new QStandardItem(QString("run-%1").arg(row + 9, 3, 10, QChar('0'))));
        model->setItem(row, 1, new QStandardItem(QString::number(0.83 + row * 0.0021)));
        model->setItem(row, 2, new QStandardItem(QString::number(0.43 - row * 0.01)));
    }
    auto* view = new TableView(TableView::Rows::Features, parent);
    view->setModel(model);
    view->setAccessibleName("Runs");
    view->setSortingEnabled(true);
    view->selectRow(1);
    view->setMinimumHeight(180);
    return view;
}

} // namespace

std::unique_ptr<QWidget> makePartsGallery()
{
    auto page = std::make_unique<QWidget>();
    auto* column = new QVBoxLayout(page.get());
    column->setContentsMargins(24, 0, 24, 24);
    auto* checkpoint = new QAction("Checkpoint Now", page.get());
    checkpoint->setProperty("iconName", "device-floppy");
    auto* stop = new QAction("Stop and Keep", page.get());
    stop->setProperty("iconName", "player-stop");
    auto* header = new PageHeader("run-012", page.get());
    header->setCrumb("Train");
    header->setSentence("Wide & deep · 64-32 · lr 0.0016");
    showState(header->pill(), RunState::Running);
    header->pill().show();
    header->addAction(checkpoint);
    header->addAction(stop);
    column->addWidget(header);
    auto* strip = new Strip(page.get());
    strip->setMessage(Strip::Level::Info, "AUC has not improved for 16 evaluations.",
                      "The best checkpoint (3,250) is safe.");
    strip->setActions({stop});
    column->addWidget(strip);
    auto* warning = new Strip(page.get());
    warning->setMessage(Strip::Level::Warning, "2 columns need a decision",
                        "deck is 77 % missing. <a href=\"page:data\">Data page</a>");
    warning->setDismissible(true);
    column->addWidget(warning);
    auto* error = new Strip(page.get());
    error->setMessage(Strip::Level::Error, "Line 418 has 11 values, 10 expected.",
                      "The extra comma is in column 9.");
    column->addWidget(error);
    auto* grid = new FlowLayout(nullptr, 16);
    grid->setColumns(320, 3);
    for (QWidget* part : std::initializer_list<QWidget*>{
             buttonsCard(page.get()), fieldsCard(page.get()), statesCard(page.get()),
             typeCard(page.get()), table(page.get()), iconsCard(page.get())}) {
        grid->addWidget(part);
    }
    column->addLayout(grid);
    column->addStretch(1);
    return page;
}

} // namespace cannery::tests
