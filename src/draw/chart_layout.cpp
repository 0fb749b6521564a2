// First the lifelines: each label asks for a distance between two of them, and place_lifelines() gives the
// narrowest answer. Then one sweep from top to bottom gives every item its height, keeping a stack of the
// open frames; when a frame closes, the extent of what it holds, widened by a margin, becomes its own box and
// is handed to the frame around it. Last, everything is moved so that the leftmost thing is at the
// margin.
#include "draw/chart_layout.h"

#include <algorithm>

#include "base/utf8.h"
#include "draw/font_metrics.h"

namespace treaty::draw {
namespace {

using namespace chart_sizes;

constexpr double frame_padding = 10;  // between a frame and what it holds
constexpr double self_loop = 36;      // how far an arrow to oneself bulges

double lines_width(const std::vector<std::string>& lines, double font_size) {
    double widest = 0;
    for (const std::string& line : lines)
        widest = std::max(widest, text_width(base::shorten(line, text_limit), font_size));
    return widest;
}

bool is_message(ItemKind kind) {
    return kind == ItemKind::arrow || kind == ItemKind::send || kind == ItemKind::receive;
}

class LayoutMaker {
public:
    explicit LayoutMaker(const Chart& chart) : chart_(chart), reaches_(reaches(chart)) {
        out_.boxes.resize(chart.items.size());
        out_.y.resize(chart.items.size(), 0);
        out_.frame.resize(chart.items.size(), ChartItem::none);
    }

    ChartLayout make() {
        place_columns();
        double top = margin;
        if (!chart_.title.empty()) {
            out_.title_baseline = top + title_font;
            top += title_font + 16;
        }
        out_.head_top = top;
        top_ = top + head_height + 14;
        first_row_ = top_;
        for (std::size_t i = 0; i < chart_.items.size(); ++i) place(i);
        out_.lifeline_end = top_ + 10;
        out_.feet = out_.lifeline_end - first_row_ > 600;
        out_.height = out_.lifeline_end + (out_.feet ? head_height : 0) + margin;
        shift();
        return std::move(out_);
    }

private:
    struct Open {
        std::size_t item;
        double left, right;
    };

    void place_columns() {
        std::vector<Distance> bounds;
        for (std::size_t i = 0; i < chart_.lifelines.size(); ++i) {
            double text = text_width(base::shorten(chart_.lifelines[i], text_limit), head_font, Weight::bold);
            out_.head_width.push_back(std::max(text + 24, 56.0));
            if (i > 0)
                bounds.push_back(
                    {i - 1, i, std::max((out_.head_width[i - 1] + out_.head_width[i]) / 2 + 28, 110.0)});
        }
        for (std::size_t i = 0; i < chart_.items.size(); ++i) {
            const ChartItem& item = chart_.items[i];
            if (!is_message(item.kind)) continue;
            double width = lines_width(item.lines, label_font);
            Reach reach = reaches_[i];
            if (reach.low != reach.high)
                bounds.push_back({reach.low, reach.high, width + 34});
            else if (reach.high + 1 < chart_.lifelines.size())
                bounds.push_back({reach.low, reach.low + 1, width + self_loop + 20});
        }
        out_.x = place_lifelines(chart_.lifelines.size(), std::move(bounds));
        if (out_.x.empty()) out_.x.push_back(0), out_.head_width.push_back(0);
        for (std::size_t i = 0; i < out_.x.size(); ++i) {
            leftmost_ = std::min(leftmost_, out_.x[i] - out_.head_width[i] / 2);
            rightmost_ = std::max(rightmost_, out_.x[i] + out_.head_width[i] / 2);
        }
        double title = text_width(base::shorten(chart_.title, text_limit), title_font, Weight::bold);
        rightmost_ = std::max(rightmost_, leftmost_ + title);
    }

    void place(std::size_t i) {
        switch (chart_.items[i].kind) {
            case ItemKind::arrow:
            case ItemKind::send:
            case ItemKind::receive: place_message(i); break;
            case ItemKind::note: place_note(i); break;
            case ItemKind::open: place_open(i); break;
            case ItemKind::split: place_split(i); break;
            case ItemKind::close: place_close(i); break;
        }
    }

    void place_message(std::size_t i) {
        const ChartItem& item = chart_.items[i];
        Reach reach = reaches_[i];
        // The label of a slanting arrow is where it leaves.
        bool labelled = item.kind != ItemKind::receive || item.partner == ChartItem::none;
        double text = labelled ? line_height * static_cast<double>(item.lines.size()) : 4;
        out_.y[i] = top_ + 6 + text;
        double right = out_.x[reach.high];
        bool self = reach.low == reach.high;
        if (self) right += self_loop + 8 + lines_width(item.lines, label_font);
        set_box(i, out_.x[reach.low], right, out_.y[i] + (self ? 22 : 8));
    }

    void place_note(std::size_t i) {
        const ChartItem& item = chart_.items[i];
        double middle = (out_.x[reaches_[i].low] + out_.x[reaches_[i].high]) / 2;
        double half = lines_width(item.lines, label_font) / 2 + 12;
        top_ += 6;
        set_box(i, middle - half, middle + half,
                top_ + line_height * static_cast<double>(item.lines.size()) + 8);
        top_ += 6;
    }

    void place_open(std::size_t i) {
        const ChartItem& item = chart_.items[i];
        top_ += 8;
        out_.boxes[i].top = top_;
        double low = out_.x[reaches_[i].low];
        double high = out_.x[reaches_[i].high];
        open_.push_back({i, low - 14, high + 14});
        caption(tab_width(item.tab) + 10, item.lines);
        top_ += tab_height + 4;
    }

    void place_split(std::size_t i) {
        top_ += 8;
        out_.y[i] = top_;
        out_.frame[i] = open_.back().item;
        caption(8, chart_.items[i].lines);
        top_ += chart_.items[i].lines.empty() ? 4 : tab_height;
    }

    void place_close(std::size_t i) {
        top_ += 6;
        Open done = open_.back();
        open_.pop_back();
        out_.frame[i] = done.item;
        Box& box = out_.boxes[done.item];
        box.left = done.left - frame_padding;
        box.right = done.right + frame_padding;
        box.bottom = top_;
        out_.boxes[i] = box;
        extend(box.left, box.right);
        top_ += 6;
    }

    void caption(double indent, const std::vector<std::string>& lines) {
        double text = lines_width(lines, caption_font);
        open_.back().right = std::max(open_.back().right, open_.back().left + indent + text + 8);
    }

    void set_box(std::size_t i, double left, double right, double bottom) {
        out_.boxes[i] = {left, right, top_, bottom};
        top_ = bottom;
        extend(left, right);
    }

    void extend(double left, double right) {
        double& low = open_.empty() ? leftmost_ : open_.back().left;
        double& high = open_.empty() ? rightmost_ : open_.back().right;
        low = std::min(low, left);
        high = std::max(high, right);
    }

    void shift() {
        double gutter = 0;
        for (const ChartItem& item : chart_.items)
            if (!item.number.empty()) gutter = std::max(gutter, text_width(item.number, caption_font) + 14);
        double by = margin + gutter - leftmost_;
        for (double& x : out_.x) x += by;
        for (Box& box : out_.boxes) box.left += by, box.right += by;
        out_.number_right = gutter > 0 ? margin + gutter - 14 : 0;
        out_.width = rightmost_ + by + margin;
    }

    const Chart& chart_;
    std::vector<Reach> reaches_;
    ChartLayout out_;
    std::vector<Open> open_;
    double top_ = 0;
    double first_row_ = 0;
    double leftmost_ = 0;
    double rightmost_ = 0;
};

}  // namespace

double tab_width(const std::string& tab) {
    return text_width(base::shorten(tab, text_limit), caption_font, Weight::bold) + 22;
}

ChartLayout lay_out(const Chart& chart) {
    return LayoutMaker(chart).make();
}

}  // namespace treaty::draw
