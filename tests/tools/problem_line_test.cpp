// SPDX-License-Identifier: Apache-2.0
// The grammar of problem lines, the data and the comparison of experiments: what the other tests rely on.
#include <cstring>
#include <numeric>
#include <random>

#include <gtest/gtest.h>

#include "core/nearest.hpp"
#include "line/problem_line.hpp"
#include "trial/compare.hpp"
#include "trial/experiment.hpp"
#include "trial/experiment_data.hpp"
#include "trial/guarded_buffer.hpp"
#include "trial/kept.hpp"

namespace tessera {
namespace {

// Law: printing and parsing again gives the same problem, and the same text.
TEST(ProblemLine, survives_its_own_text) {
    for (const char* text :
         {"reorder 2x17x5x5",
          "reorder --sdt=f32 --ddt=s8 --stag=abcd --dtag=aBcd16b 2x17x5x5",
          "reorder --stag=abc --dtag=abc --ssub=0x1x0@2x20x5 --dsub=1x0x3@4x17x8 2x17x5",
          "reorder --sstrides=10x1 --dstrides=-1x7 4x6",
          "reorder --attr-scales=src:2:bf16+dst:3:f32:4x1 --attr-zero-points=src:host+dst:0:u8 8x6",
          "reorder --engine=gpu:1 2x3",
          "reorder --attr-post-ops=sum:0.5:3:s8+relu+sum --attr-scratchpad=user --attr-fpmath=tf32 3",
          "eltwise --alg=relu --attr-dropout=0.5:-7 2x3",
          "eltwise --alg=relu --attr-dropout=0.25:7:-3+s64+host+nomask 2x3",
          "eltwise --dir=BWD_D --alg=relu --dt=bf16 --attr-rounding=diff_src+diff_weights:-9 2x3",
          "reorder --oscale=3:rt --rt=1 --seed=7 2x2",
          "reorder --flags=s8s8:1+asymm:3+adjust:0.5 4x4",
          "shuffle --dir=BWD_D --sdt=bf16 --dtag=axb --axis=-1 --group=0 --expect=invalid_arguments 2x4x3x3",
          "matmul --sdt=u8:s8:f32 --ddt=s8 --stag=ab:any:ab --attr-scales=wei:3:bf16:2x1+dst:0 "
          "--attr-precomputed-reductions=src:3:s32:1x2 --attr-acc-mode=s32 --rt=5 2x4:4x3:1x3",
          "matmul --attr-deterministic=true --stag=:ab --sstrides=40x1: 2x4:4x6",
          "matmul --sdt=bf16:s4 --attr-fpmath=bf16:true --attr-zero-points=wei:0:s8 2x4:4x6",
          "matmul --ddt=f8_e4m3 --attr-scales=dst:3:e8m0:1x32:mx+wei:2 2x4:4x64",
          "convolution --attr-post-ops=relu+dw:k3s2p1:bf16:undef:f16+add:f32:2 2x4x5x5:8x4x1x1:8",
          "convolution --sdt=u8:s8 --ddt=u8 --attr-scales=wei:1+attr_post_op_dw_wei:1+attr_post_op_dw_dst:0 "
          "--attr-post-ops=dw:k5s1p0:u8 2x4x5x5:8x4x1x1",
          "rnn --alg=rnn --activation=logistic --alpha=0.5 --flags=O --dir=BWD_DW --diff-wtag=abdec l1t2mb3sic4",
          "rnn --alg=lbr_gru --direction=sum --with-src-iter=false --with-dst-iter=false --trivial-strides=false sic4",
          "rnn --dir=FWD_I --alg=lstm --direction=concat --with-peephole=true --with-projection=true "
          "--sdt=u8:u8:f32:s8:f32 --ddt=f32 --stag=abc:any:abcd:any:any --dtag=any --attr-rnn=64:128:24:8 "
          "l2t5mb3sic4slc4dhc6dic4",
          "shuffle --dir=FWD_I --stag=aBx16b --axis=1 --group=4 2x16x5x5"}) {
        const auto line = parse_problem_line(text);
        ASSERT_TRUE(line) << text << ": " << line.error().reason;
        const auto again = parse_problem_line(to_string(*line));
        ASSERT_TRUE(again) << to_string(*line);
        EXPECT_EQ(*line, *again) << text;
        EXPECT_EQ(to_string(*line), to_string(*again));
        EXPECT_EQ(seed_of(*line), seed_of(*again));
    }
}

// So that a difference between two engines is none of their data.
TEST(ProblemLine, has_the_same_data_on_every_engine) {
    const auto seed = [](const char* text) { return seed_of(parse_problem_line(text).value()); };
    EXPECT_EQ(seed("reorder --engine=gpu:1 2x3"), seed("reorder 2x3"));
    EXPECT_NE(seed("reorder 2x4"), seed("reorder 2x3"));
}

TEST(ProblemLine, says_what_is_wrong) {
    const std::pair<const char*, const char*> cases[] = {
        {"", "empty"},
        {"gemm 2x3", "'gemm' is no primitive"},
        {"reorder", "no dims"},
        {"reorder 2x3 4x5", "given already"},
        {"reorder 2xx3", "2xx3"},
        {"reorder 99999999999999999999", "99999999999999999999"},
        {"reorder --sdt=f31 2", "unknown data type 'f31'"},
        {"reorder --engine=gpu:x 2", "'gpu:x' is no engine; there are cpu, gpu and gpu:INDEX"},
        {"reorder --what=1 2", "unknown option '--what'"},
        {"reordr 2x3", "did you mean reorder?"},
        {"reorder --stga=ab 2x3", "did you mean --stag?"},
        {"shuffle --dir=BWD_B 2x4", "did you mean BWD_D?"},
        {"reorder --sdt 2", "--sdt needs a value"},
        {"reorder --axis=1 2", "belongs to shuffle"},
        {"reorder --sdt=f32 --sdt=s8 2", "--sdt was given already"},
        {"reorder --stag=a --dtag=a --stag=a 2", "--stag was given already"},
        {"reorder --ssub=1x1 2x2", "OFFSETS@PARENT"},
        {"reorder --attr-scales=weights:1 2", "weights:1"},
        {"matmul 2x3", "two or three shapes"},
        {"matmul --sdt=u8:s8 2x3:3x4:1x4", "--sdt has 2 entries for 3 sources"},
        {"matmul --attr-fpmath=half:true 2x3:3x4", "'half' is none of"},
        {"reorder --attr-post-ops=cosine 2", "cosine"},
        {"convolution --attr-post-ops=dw:k3p1 2x4x5x5:8x4x1x1", "'dw:k3p1' is not dw:kKERNELsSTRIDEpPADDING"},
        {"convolution --attr-post-ops=dw:k3s1p1n2 2x4x5x5:8x4x1x1", "has more than dw:k"},
        {"convolution --attr-scales=attr_post_op_dw_bias:0 2x4x5x5:8x4x1x1", "attr_post_op_dw_bias:0"},
        {"reorder --stag=a --sstrides=1 2", "both a tag"},
        {"shuffle --dir=SIDEWAYS 2", "FWD_D, FWD_I, BWD_D"},
        {"shuffle --expect=sorry 2", "sorry"},
    };
    for (const auto& [text, part] : cases) {
        const auto line = parse_problem_line(text);
        ASSERT_FALSE(line) << text;
        EXPECT_NE(line.error().reason.find(part), std::string::npos) << text << ": " << line.error().reason;
    }
}

// ---- the words of others

using Spelled = std::pair<const char*, const char*>; // as others write it, as we do

void expect_same(const Spelled& row) {
    const auto theirs = parse_problem_line(row.first), ours = parse_problem_line(row.second);
    ASSERT_TRUE(theirs) << row.first << ": " << theirs.error().reason;
    ASSERT_TRUE(ours) << row.second << ": " << ours.error().reason;
    EXPECT_EQ(to_string(*theirs), to_string(*ours)) << row.first;
    EXPECT_EQ(*theirs, *ours) << row.first;
}

TEST(ProblemLine, of_benchdnn) {
    const Spelled rows[] = {
        {"--matmul --dt=u8:s8:f32 --stag=ab --wtag=any --dtag=ab "
         "--attr-scales=src:common:0.25+wei:per_oc+dst:common:2:f32 16x32:32x64",
         "matmul --sdt=u8:s8 --ddt=f32 --stag=ab:any --dtag=ab --attr-scales=src:0+wei:2+dst:0 16x32:32x64"},
        {"--matmul --bia-dt=f32 --bia_mask=4 --dt=bf16 --attr-fpmath=bf16:false 2x4x8:2x8x6_n\"some:name*1\"",
         "matmul --sdt=bf16:bf16:f32 --ddt=bf16 --stag=any:any:abx --dtag=any --attr-fpmath=bf16 "
         "2x4x8:2x8x6:1x1x6"},
        {"--matmul --dt=bf16:s4:bf16 --wtag=acb --attr-fpmath=bf16:true "
         "--attr-scales=wei:per_ocic:bf16:32x1 --attr-zero-points=wei:per_ocic:s8:32x1 2x16x64:1x64x32",
         "matmul --sdt=bf16:s4 --ddt=bf16 --stag=any:acb --dtag=any --attr-fpmath=bf16:true "
         "--attr-scales=wei:6:bf16:32x1 --attr-zero-points=wei:6:s8:32x1 2x16x64:1x64x32"},
        {"--matmul --runtime_dims_masks=2:1 --stag=ab --wtag=ab --dtag=ab --strides=40x1::80x1 4x32:32x64",
         "matmul --stag=:ab --sstrides=40x1: --dstrides=80x1 --rt=4 4x32:32x64"},
        {"--matmul --attr-post-ops=sum:0.5:2:s8+relu:0.1+add:f32:per_oc+mul:f32:per_tensor:ab+prelu:per_oc"
         " 4x8:8x6",
         "matmul --stag=any --dtag=any "
         "--attr-post-ops=sum:0.5:2:s8+relu:0.1+add:f32:2+mul:f32:3:ab+prelu:2 4x8:8x6"},
        {"--ip mb112ic256ih6oc4096n\"alexnet:ip1\"",
         "inner_product --dir=FWD_D --stag=any:any:a --dtag=any 112x256x6x6:4096x256x6x6:4096"},
        {"--ip --dir=BWD_W --dt=bf16 --stag=abx --wtag=any --dtag=ab ic16oc32",
         "inner_product --dir=BWD_W --sdt=bf16 --stag=ab:any --dtag=ab 2x16:32x16"},
        {"--ip --dir=BWD_WB ic16iw7oc32", "inner_product --dir=BWD_W --stag=any:any:a --dtag=any 2x16x7:32x16x7:32"},
        {"--ip --dir=FWD_I --dt=u8:s8:s32 ic16oc32",
         "inner_product --dir=FWD_I --sdt=u8:s8 --ddt=s32 --stag=any --dtag=any 2x16:32x16"},
        {"--conv mb2ic16ih7oc32oh4kh3sh2ph1n\"name\"",
         "convolution --dir=FWD_D --alg=direct --stride=2x2 --dilation=0x0 --padding=1x1 --padding-r=1x1 "
         "--stag=any:any:a --dtag=any 2x16x7x7:32x16x3x3:32"},
        {"--conv --dir=FWD_D --dt=u8:s8:u8 g16ic16oc16iw7kw3pw1",
         "convolution --dir=FWD_D --alg=direct --stride=1 --dilation=0 --padding=1 --sdt=u8:s8 --ddt=u8 --stag=any "
         "--dtag=any 2x16x7:16x1x1x3"},
        {"--conv --dir=FWD_I --dt=u8:s8:u8 --attr-scales=attr_post_op_dw_wei:per_oc --attr-post-ops=relu+dw:k3s2p1:u8 "
         "mb2ic16ih7oc32kh1",
         "convolution --dir=FWD_I --alg=direct --stride=1x1 --dilation=0x0 --padding=0x0 --padding-r=0x0 --sdt=u8:s8 "
         "--ddt=u8 --stag=any --dtag=any --attr-scales=attr_post_op_dw_wei:1 --attr-post-ops=relu+dw:k3s2p1:u8 "
         "2x16x7x7:32x16x1x1"},
        {"--deconv --dir=BWD_D --stag=axb --wtag=abx --dtag=axb mb1ic8oc4ih5oh10kh3sh2ph1",
         "deconvolution --dir=BWD_D --alg=direct --stride=2x2 --dilation=0x0 --padding=1x1 --padding-r=0x0 "
         "--stag=acdb:abcd --dtag=acdb 1x8x5x5:4x8x3x3"},
        {"--rnn --prop=BWD_DW --alg=VANILLA_RNN --activation=RELU --direction=concat --cfg=f32 --flags=O l1t3mb2sic4",
         "rnn --dir=BWD_DW --alg=rnn --activation=relu --direction=concat --flags=O l1t3mb2sic4slc4dhc4dic4"},
        {"--rnn --alg=LBR_GRU --trivial-strides=false --dt=bf16 l2t3mb2sic4slc4_n\"x\"",
         "rnn --dir=FWD_D --alg=lbr_gru --trivial-strides=false --dt=bf16 l2t3mb2sic4"},
        {"--rnn --alg=VANILLA_LSTM --cfg=f32u8f32u8 --prop=FWD_I --with-projection=true t3sic4dhc8dic4",
         "rnn --dir=FWD_I --alg=lstm --sdt=u8:f32:f32:s8:f32 --ddt=u8 --with-projection=true --attr-rnn=64:128 "
         "l1t3mb2sic4slc4dhc8dic4"},
        {"--reorder --sdt=f32 --ddt=s8 --stag=abx --dtag=aBx16b --oflag=s8s8_comp:2+zp_comp:2 "
         "--attr-scales=dst:per_dim_1 2x17x5x5",
         "reorder --ddt=s8 --stag=abcd --dtag=aBcd16b --flags=s8s8:2+asymm:2 --attr-scales=dst:2 2x17x5x5"},
        {"--shuffle --dir=BWD_D --dt=bf16 --tag=axb --axis=1 --group=4 2x16x5x5",
         "shuffle --dir=BWD_D --sdt=bf16 --stag=axb --dtag=axb --axis=1 --group=4 2x16x5x5"},
        {"--eltwise --dir=BWD_D --dt=f32 --tag=axb --alg=RELU_DST --alpha=0.1 --inplace=true 2x16x5x5",
         "eltwise --dir=BWD_D --alg=relu_dst --alpha=0.1 --stag=axb --dtag=axb --inplace 2x16x5x5"},
        {"--binary --sdt=u8:f32 --ddt=bf16 --stag=abx:axb --dtag=any --alg=binary_mul "
         "--attr-scales=src0:common+src1:common 2x17x5x5:1x17x1x1",
         "binary --alg=mul --sdt=u8:f32 --ddt=bf16 --stag=abx:axb --dtag=any --attr-scales=src:0+src1:0 "
         "2x17x5x5:1x17x1x1"},
        {"--prelu --dir=BWD_DW --sdt=bf16:f32 --ddt=bf16 --stag=axb:abx 2x16x5x5:1x16x1x1",
         "prelu --dir=BWD_DW --sdt=bf16:f32 --stag=axb:abx 2x16x5x5:1x16x1x1"},
        {"--sum --sdt=f32:bf16 --ddt=f32 --stag=abx:axb --dtag=undef --scales=0.25:2 2x16x5x5",
         "sum --sdt=f32:bf16 --ddt=f32 --stag=abx:axb --dtag=omit --scales=0.25:2 2x16x5x5"},
        {"--concat --sdt=u8 --ddt=u8 --stag=axb:abx --axis=1 2x16x5x5:2x8x5x5",
         "concat --sdt=u8 --stag=axb:abx --axis=1 2x16x5x5:2x8x5x5"},
        {"--resampling --dir=BWD_D --sdt=bf16 --ddt=f32 --tag=axb --dtag=any --alg=linear "
         "mb3ic8_ih5oh10_iw7ow14n\"x\"",
         "resampling --dir=BWD_D --alg=linear --sdt=bf16 --ddt=f32 --stag=axb --dtag=any 3x8x5x7:3x8x10x14"},
        {"--reduction --sdt=bf16 --ddt=f32 --stag=axb --dtag=any --alg=reduction_norm_lp_sum --p=3 --eps=0.5 "
         "2x16x5x5:2x16x1x1",
         "reduction --alg=norm_lp_sum --p=3 --eps=0.5 --sdt=bf16 --ddt=f32 --stag=axb --dtag=any 2x16x5x5:2x16x1x1"},
        {"--reduction 2x16:2x1_n\"x\"", "reduction --alg=sum 2x16:2x1"},
        {"--softmax --dir=FWD_I --sdt=bf16 --ddt=f32 --stag=axb --dtag=abx --alg=LOGSOFTMAX --axis=2 --inplace=false "
         "2x16x5x5",
         "softmax --dir=FWD_I --alg=log --sdt=bf16 --ddt=f32 --stag=axb --dtag=abx --axis=2 2x16x5x5"},
        {"--bnorm --dir=BWD_DW --dt=bf16 --tag=axb --flags=CHR mb2ic16ih5iw5n\"x\"",
         "batch_normalization --dir=BWD_DW --eps=1e-5 --flags=CHR --sdt=bf16 --stag=axb --dtag=axb 2x16x5x5"},
        {"--gnorm --dir=FWD_I --flags=G g4mb2ic16ih5",
         "group_normalization --dir=FWD_I --group=4 --eps=1e-5 --flags=G 2x16x5x5"},
        {"--lnorm --dir=FWD_D --sdt=bf16 --ddt=s8 --stag=abx --flags=CM 8x32x64",
         "layer_normalization --dir=FWD_D --eps=1e-5 --flags=CM --sdt=bf16 --ddt=s8 --stag=abx 8x32x64"},
        {"--softmax 2x16", "softmax --dir=FWD_D --alg=accurate 2x16"},
        {"--pool --dir=BWD_D --dt=bf16 --tag=axb --alg=avg_np mb2ic16_ih5oh3kh3sh2dh0ph1_iw7ow7kw1sw1dw0pw0n\"x\"",
         "pooling --dir=BWD_D --alg=avg_exclude_padding --kernel=3x1 --stride=2x1 --dilation=0x0 --padding=1x0 "
         "--sdt=bf16 --stag=axb --dtag=axb 2x16x5x7:2x16x3x7"},
        {"--lrn --dir=BWD_D --dt=bf16 --tag=axb --alg=WITHIN mb2ic16ih5iw4ls3beta0.5k2n\"x\"",
         "lrn --dir=BWD_D --alg=within_channel --size=3 --alpha=1.220703125e-4 --beta=0.5 --k=2 --sdt=bf16 --stag=axb "
         "--dtag=axb 2x16x5x4"},
        {"--pool --tag=abx ic16ih8kh2sh2", "pooling --dir=FWD_D --alg=max --kernel=2x2 --stride=2x2 --dilation=0x0 "
                                           "--padding=0x0 --stag=abx --dtag=abx 2x16x8x8:2x16x4x4"},
    };
    for (const Spelled& row : rows) expect_same(row);
}

// Lines that oneDNN 3.13 (with v1) and 3.2 (without) print.
TEST(ProblemLine, of_verbose_logs) {
    const Spelled rows[] = {
        {"onednn_verbose,v1,primitive,exec,cpu,matmul,brg_matmul:avx512_core_vnni,undef,"
         "src:u8::blocked:ab::f0 wei:s8::blocked:ab::f0 dst:f32::blocked:ab::f0,"
         "attr-scales:src0:0:f32+wei:2:f32 attr-zero-points:src0:0:s32 "
         "attr-post-ops:eltwise_relu:0.5+binary_add:f32:2+sum:0.5,,16x32:32x64,2.80908",
         "matmul --sdt=u8:s8 --ddt=f32 --stag=ab --dtag=ab --attr-scales=src:0+wei:2 "
         "--attr-zero-points=src:0 --attr-post-ops=relu:0.5+add:f32:2+sum:0.5 16x32:32x64"},
        {"onednn_verbose,v1,primitive,exec,cpu,matmul,brg_matmul:avx512_core,undef,"
         "src:f32::blocked:ba::f0 wei:f32:a:blocked:BA16a64b::f0 bia:f32::blocked:ab::f0_mask2 "
         "dst:f32::blocked:ab:128x1:f0,attr-scratchpad:user attr-fpmath:bf16:true attr-acc-mode:relaxed "
         "attr-deterministic:1,,16x32:32x64,0.0439453",
         "matmul --sdt=f32 --stag=ba:any:ab --dstrides=128x1 --attr-scratchpad=user "
         "--attr-fpmath=bf16:true --attr-acc-mode=relaxed --attr-deterministic=true 16x32:32x64:1x64"},
        {"onednn_verbose,v1,primitive,exec,cpu,matmul,brg_matmul:avx512_core_bf16,undef,"
         "src:bf16::blocked:abc::f0 wei:s4::blocked:acb::f0 dst:bf16::blocked:abc::f0,"
         "attr-fpmath:bf16:true attr-scales:wei:6:bf16:32x1 attr-zero-points:wei:6:s8:32x1,,"
         "2x16x64:1x64x32,0.115967",
         "matmul --sdt=bf16:s4 --stag=abc:acb --dtag=abc --attr-scales=wei:6:bf16:32x1 "
         "--attr-zero-points=wei:6:s8:32x1 --attr-fpmath=bf16:true 2x16x64:1x64x32"},
        {"onednn_verbose,v1,primitive,exec,cpu,matmul,gemm:jit:f32,undef,src:f32::blocked:ab::f0 "
         "wei:f32::blocked:ab::f0 dst:f32::blocked:ab::f0,,runtime_dims_masks:1:0,5x32:32x64,70.2888",
         "matmul --sdt=f32 --stag=ab --dtag=ab --rt=1 5x32:32x64"},
        {"onednn_verbose,v1,primitive,exec,cpu,matmul,ref:any,undef,src:f32::blocked:ab::f0 "
         "wei:f32::blocked:ab::f0 bia:f32::blocked:ab::f0_mask3 dst:f32::blocked:ab::f0,"
         "attr-post-ops:prelu:2+binary_mul:bf16:3:ba+eltwise_clip:-1:1,,4x32:32x8,3.3999",
         "matmul --sdt=f32 --stag=ab --dtag=ab --attr-post-ops=prelu:2+mul:bf16:3:ba+clip:-1:1 "
         "4x32:32x8:4x8"},
        {"onednn_verbose,v1,primitive,exec,cpu,inner_product,x64:gemm:jit,forward_training,"
         "src:f32::blocked:abcd::f0 wei:f32:a:blocked:bcda::f0 bia:f32::blocked:a::f0 "
         "dst:f32:a:blocked:ab::f0,,,mb2ic16ih5iw5oc32,0.924805",
         "inner_product --dir=FWD_D --sdt=f32 --stag=abcd:any:a --dtag=any 2x16x5x5:32x16x5x5:32"},
        {"onednn_verbose,v1,primitive,exec,cpu,inner_product,x64:gemm:jit,backward_data,"
         "src:f32::blocked:abcd::f0 wei:f32:a:blocked:abcd::f0 bia:undef::undef::: "
         "dst:f32:a:blocked:ab::f0,,,mb2ic16ih5iw5oc32,0.060791",
         "inner_product --dir=BWD_D --sdt=f32 --stag=abcd:any --dtag=any 2x16x5x5:32x16x5x5"},
        {"onednn_verbose,v1,primitive,exec,cpu,inner_product,x64:gemm:jit,backward_weights,"
         "src:f32::blocked:abcd::f0 wei:f32:a:blocked:bcda::f0 bia:f32::blocked:a::f0 "
         "dst:f32:a:blocked:ab::f0,,,mb2ic16ih5iw5oc32,0.0678711",
         "inner_product --dir=BWD_W --sdt=f32 --stag=abcd:any:a --dtag=any 2x16x5x5:32x16x5x5:32"},
        {"onednn_verbose,v1,primitive,exec,cpu,reorder,simple:any,undef,src:f32::blocked:abcd::f0 "
         "dst:s8:p:blocked:aBcd16b::f0,attr-scales:src0:0:f32+dst:2:f32 attr-zero-points:dst:0:s32 "
         "attr-post-ops:sum:0.5,,2x17x5x5,0.140869",
         "reorder --sdt=f32 --ddt=s8 --stag=abcd --dtag=aBcd16b --attr-scales=src:0+dst:2 "
         "--attr-zero-points=dst:0 --attr-post-ops=sum:0.5 2x17x5x5"},
        {"onednn_verbose,v1,primitive,exec,cpu,reorder,jit:uni,undef,src:f32:0:blocked:abcd:425x25x5x1:f0 "
         "dst:bf16::blocked:acdb::f0,,,2x5x5x5,0.0390625",
         "reorder --sdt=f32 --ddt=bf16 --sstrides=425x25x5x1 --dtag=acdb 2x5x5x5"},
        {"onednn_verbose,v1,primitive,exec,cpu,shuffle,ref:any,forward_training,"
         "data:f32::blocked:acdb::f0,,axis:1 group:4,2x16x5x5,0.0429688",
         "shuffle --dir=FWD_D --sdt=f32 --stag=acdb --dtag=acdb --axis=1 --group=4 2x16x5x5"},
        {"onednn_verbose,v1,primitive,exec,cpu,shuffle,ref:any,backward_data,data:f32::blocked:acdb::f0,,"
         "axis:1 group:4,2x16x5x5,0.0358887",
         "shuffle --dir=BWD_D --sdt=f32 --stag=acdb --dtag=acdb --axis=1 --group=4 2x16x5x5"},
        {"onednn_verbose,v1,primitive,exec,cpu,eltwise,jit:avx512_core_bf16,backward_data,"
         "data:f32::blocked:acdb::f0 diff:f32::blocked:acdb::f0,,alg:eltwise_gelu_tanh alpha:0 beta:0,"
         "2x16x5x5,0.0410156",
         "eltwise --dir=BWD_D --alg=gelu_tanh --sdt=f32 --stag=acdb --dtag=acdb 2x16x5x5"},
        {"onednn_verbose,v1,primitive,exec,cpu,eltwise,jit:avx512_core_bf16,backward_data,"
         "data:f32::blocked:acdb::f0 diff:f32::blocked:acdb::f0,,alg:eltwise_relu_use_dst_for_bwd "
         "alpha:0.1 beta:0,2x16x5x5,0.0358887",
         "eltwise --dir=BWD_D --alg=relu_dst --alpha=0.1 --sdt=f32 --stag=acdb --dtag=acdb 2x16x5x5"},
        {"onednn_verbose,v1,primitive,exec,cpu,prelu,jit_uni,forward_training,data:f32::blocked:acdb::f0 "
         "wei:f32::blocked:abcd::f0,,,2x16x5x5:1x16x1x1,0.0280762",
         "prelu --dir=FWD_D --sdt=f32 --stag=acdb:abcd --dtag=acdb 2x16x5x5:1x16x1x1"},
        {"onednn_verbose,v1,primitive,exec,cpu,prelu,jit_uni,backward,data:f32::blocked:acdb::f0 "
         "wei:f32::blocked:abcd::f0 diff:f32::blocked:acdb::f0 diff_wei:f32::blocked:abcd::f0,,,"
         "2x16x5x5:1x16x1x1,0.0429688",
         "prelu --dir=BWD_DW --sdt=f32 --stag=acdb:abcd --dtag=acdb 2x16x5x5:1x16x1x1"},
        {"onednn_verbose,v1,primitive,exec,cpu,binary,jit:uni,undef,src:f32::blocked:acdb::f0 "
         "src:f32::blocked:abcd::f0 dst:f32::blocked:acdb::f0,,alg:binary_mul,2x16x5x5:1x16x1x1,0.0458984",
         "binary --alg=mul --sdt=f32 --stag=acdb:abcd --dtag=acdb 2x16x5x5:1x16x1x1"},
        {"onednn_verbose,v1,primitive,exec,cpu,binary,jit:uni,undef,src:f32::blocked:acdb::f0 "
         "src:f32::blocked:acdb::f0 src:s8::blocked:acdb::f0 dst:f32::blocked:acdb::f0,,alg:binary_select,"
         "2x16x5x5:2x16x5x5:2x16x5x5,0.0388184",
         "binary --alg=select --sdt=f32 --stag=acdb --dtag=acdb 2x16x5x5:2x16x5x5"},
        {"onednn_verbose,v1,primitive,exec,cpu,sum,simple:any,undef,src:f32::blocked:acdb::f0 "
         "src:f32::blocked:acdb::f0 dst:f32::blocked:acdb::f0,,,2x16x5x5,0.0458984",
         "sum --sdt=f32 --stag=acdb --dtag=acdb --scales=1:1 2x16x5x5"},
        {"onednn_verbose,v1,primitive,exec,cpu,concat,simple:any,undef,src:f32::blocked:acdb::f0 "
         "src:f32::blocked:acdb::f0 dst:f32:a:blocked:acdb::f0,,axis:1,2x16x5x5:2x8x5x5,0.0410156",
         "concat --sdt=f32 --stag=acdb --dtag=any --axis=1 2x16x5x5:2x8x5x5"},
        {"onednn_verbose,v1,primitive,exec,cpu,resampling,jit:avx512_core_bf16,forward_training,"
         "src:f32::blocked:acdb::f0 dst:f32::blocked:acdb::f0,,alg:resampling_linear,"
         "mb2ic16_ih5oh10_iw5ow10,0.0490723",
         "resampling --dir=FWD_D --alg=linear --sdt=f32 --stag=acdb --dtag=acdb 2x16x5x5:2x16x10x10"},
        {"onednn_verbose,v1,primitive,exec,cpu,reduction,jit:avx512_core,undef,"
         "src:f32::blocked:acdb::f0 dst:f32::blocked:acdb::f0,,alg:reduction_norm_lp_max p:2 eps:0.5,"
         "2x16x5x5:2x16x1x1,0.015",
         "reduction --alg=norm_lp_max --p=2 --eps=0.5 --sdt=f32 --stag=acdb --dtag=acdb 2x16x5x5:2x16x1x1"},
        {"onednn_verbose,v1,primitive,exec,cpu,batch_normalization,bnorm_tbb_jit:avx512_core,backward_data,"
         "data:f32::blocked:acdb::f0 diff:f32::blocked:acdb::f0,,flags:CH,mb2ic16ih5iw5,0.104004",
         "batch_normalization --dir=BWD_D --eps=1e-5 --flags=CH --sdt=f32 --stag=acdb --dtag=acdb 2x16x5x5"},
        {"onednn_verbose,v1,primitive,exec,cpu,layer_normalization,jit:uni,backward,src:f32::blocked:ab::f0 "
         "dst:f32::blocked:ab::f0 stats:f32::blocked:a::f0 scale:f32::blocked:a::f0 shift:f32::blocked:a::f0 "
         "diff_src:f32::blocked:ab::f0 diff_scale:f32::blocked:a::f0 diff_shift:f32::blocked:a::f0,,flags:CHM,2x4,0.1",
         "layer_normalization --dir=BWD_DW --eps=1e-5 --flags=CHM --stat-tag=a --sdt=f32 --stag=ab --dtag=ab 2x4"},
        {"onednn_verbose,v1,primitive,exec,cpu,softmax,jit:avx512_core,forward_inference,"
         "src:f32::blocked:acdb::f0 dst:f32::blocked:acdb::f0,,alg:softmax_accurate axis:1,2x16x5x5,0.015",
         "softmax --dir=FWD_I --alg=accurate --sdt=f32 --stag=acdb --dtag=acdb 2x16x5x5"},
        {"onednn_verbose,v1,primitive,exec,cpu,lrn,jit:avx2,forward_training,data:f32::blocked:aBcd8b::f0,,"
         "alg:lrn_across_channels,mb1ic16ih2iw2ls5beta0.75,3.6",
         "lrn --dir=FWD_D --alg=across_channels --size=5 --alpha=1.220703125e-4 --beta=0.75 --k=1 --sdt=f32 "
         "--stag=aBcd8b --dtag=aBcd8b 1x16x2x2"},
        {"onednn_verbose,v1,primitive,exec,cpu,pooling,jit:avx2,forward_training,src:f32::blocked:acdb::f0 "
         "dst:f32:a:blocked:acdb::f0 ws:u8::blocked:acdb::f0,,alg:pooling_max,"
         "mb2ic16_ih5oh3kh3sh2dh0ph1_iw4ow2kw2sw2dw0pw0,0.96",
         "pooling --dir=FWD_D --alg=max --kernel=3x2 --stride=2x2 --dilation=0x0 --padding=1x0 --sdt=f32 --stag=acdb "
         "--dtag=any 2x16x5x4:2x16x3x2"},
        {"onednn_verbose,v1,primitive,exec,cpu,resampling,jit:avx512_core,backward_data,"
         "src:f32::blocked:acdb::f0 dst:f32::blocked:acdb::f0,,alg:resampling_linear,"
         "mb2ic16_ih5oh10_iw5ow10,0.0500488",
         "resampling --dir=BWD_D --alg=linear --sdt=f32 --stag=acdb --dtag=acdb 2x16x5x5:2x16x10x10"},
        {"onednn_verbose,v1,primitive,exec,cpu,matmul,ref:any,undef,src:bf16::blocked:ab::f0 "
         "wei:bf16::blocked:ab::f0 dst:f8_e5m2::blocked:ab::f0,attr-scales:dst:3:e8m0:1x32:dynamic_mx,,"
         "4x32:32x64,0.14502",
         "matmul --sdt=bf16 --ddt=f8_e5m2 --stag=ab --dtag=ab --attr-scales=dst:3:e8m0:1x32:mx 4x32:32x64"},
        {"onednn_verbose,v1,primitive,exec,cpu,eltwise,ref:any,forward_training,data:f32::blocked:ab::f0,"
         "attr-dropout:ab:s32:0:0,alg:eltwise_relu alpha:0 beta:0,4x32,0.0549316",
         "eltwise --dir=FWD_D --alg=relu --sdt=f32 --stag=ab --dtag=ab --attr-dropout=0.5:1 4x32"},
        {"onednn_verbose,exec,cpu,matmul,brg:avx512_core_vnni,undef,src_u8::blocked:ab::f0 "
         "wei_s8::blocked:ab::f0 dst_f32::blocked:ab::f0,attr-scales:src0:0+wei:2 attr-zero-points:src0:0 "
         "attr-post-ops:eltwise_relu:0.5+binary_add:f32:2+sum:0.5 ,,16x32:32x64,0.0319824",
         "matmul --sdt=u8:s8 --ddt=f32 --stag=ab --dtag=ab --attr-scales=src:0+wei:2 "
         "--attr-zero-points=src:0 --attr-post-ops=relu:0.5+add:f32:2+sum:0.5 16x32:32x64"},
        {"onednn_verbose,exec,cpu,matmul,gemm:jit:f32,undef,src_f32::blocked:ba::f0 "
         "wei_f32:a:blocked:ab::f0 bia_f32::blocked:ab::f0_mask2 dst_f32::blocked:ab:128x1:f0,"
         "attr-scratchpad:user ,,16x32:32x64,31.679",
         "matmul --sdt=f32 --stag=ba:any:ab --dstrides=128x1 --attr-scratchpad=user 16x32:32x64:1x64"},
        {"onednn_verbose,exec,cpu,matmul,ref:any,undef,src_f32::blocked:ab::f0 wei_f32::blocked:ab::f0 "
         "bia_f32::blocked:ab::f0_mask3 dst_f32::blocked:ab::f0,"
         "attr-post-ops:prelu:2+binary_mul:bf16:3:ba+eltwise_clip:-1:1 ,,4x32:32x8,3.6228",
         "matmul --sdt=f32 --stag=ab --dtag=ab --attr-post-ops=prelu:2+mul:bf16:3:ba+clip:-1:1 "
         "4x32:32x8:4x8"},
        {"onednn_verbose,exec,cpu,inner_product,x64:gemm:jit,backward_weights,src_f32::blocked:abcd::f0 "
         "wei_f32:a:blocked:bcda::f0 bia_f32::blocked:a::f0 dst_f32:a:blocked:ab::f0,,,mb2ic16ih5iw5oc32,"
         "7.85303",
         "inner_product --dir=BWD_W --sdt=f32 --stag=abcd:any:a --dtag=any 2x16x5x5:32x16x5x5:32"},
        {"onednn_verbose,v1,primitive,exec,cpu,rnn,ref,forward_training,src_layer:f32::blocked:abc::f0 "
         "src_iter:f32::blocked:abcd::f0 wei_layer:f32:a:blocked:abcde::f0 wei_iter:f32:a:blocked:abcde::f0 "
         "wei_peephole:f32::blocked:abcd::f0 wei_proj:f32:a:blocked:abcd:64x64x16x1:f0 bias:f32::blocked:abcd::f0 "
         "dst_layer:f32::blocked:abc::f0,,alg:vanilla_lstm direction:unidirectional_left2right activation:undef flags:,"
         "l1t2mb2sic3slc3dhc4dic3,0.511963",
         "rnn --dir=FWD_D --alg=lstm --with-peephole=true --with-projection=true --with-dst-iter=false "
         "--stag=abc:abcd:any:any:abcd --dtag=abc l1t2mb2sic3slc3dhc4dic3"},
        {"onednn_verbose,v1,primitive,exec,cpu,rnn,brgemm,forward_inference,src_layer:u8::blocked:abc::f0 "
         "wei_layer:s8:ap:blocked:abdCE32e4c::f4 wei_iter:s8:ap:blocked:abdCE32e4c::f4 bias:f32::blocked:abcd::f0 "
         "dst_layer:u8::blocked:abc::f0,rnn_data_qparams:127:128;,alg:lbr_gru direction:bidirectional_sum "
         "activation:undef flags:O,l1t2mb2sic4slc3dhc4dic4,1.3",
         "rnn --dir=FWD_I --alg=lbr_gru --direction=sum --flags=O --with-src-iter=false --with-dst-iter=false "
         "--sdt=u8:u8:f32:s8:f32 --ddt=u8 --stag=abc:any:any:any:abcd --dtag=abc --attr-rnn=127:128 "
         "l1t2mb2sic4slc3dhc4dic4"},
        {"onednn_verbose,exec,cpu,reorder,simple:any,undef,src_f32::blocked:abcd::f0 "
         "dst_s8:p:blocked:aBcd16b::f0,attr-scales:src0:0+dst:2 attr-zero-points:dst:0 "
         "attr-post-ops:sum:0.5 ,,2x17x5x5,15.8679",
         "reorder --sdt=f32 --ddt=s8 --stag=abcd --dtag=aBcd16b --attr-scales=src:0+dst:2 "
         "--attr-zero-points=dst:0 --attr-post-ops=sum:0.5 2x17x5x5"},
        {"onednn_verbose,exec,cpu,eltwise,jit:avx512_core,forward_training,data_f32::blocked:acdb::f0 "
         "diff_undef::undef:::,,alg:eltwise_gelu_tanh alpha:0 beta:0,2x16x5x5,7.80005",
         "eltwise --dir=FWD_D --alg=gelu_tanh --sdt=f32 --stag=acdb --dtag=acdb 2x16x5x5"},
        {"onednn_verbose,exec,cpu,prelu,jit_uni,forward_training,data_f32::blocked:acdb::f0 "
         "wei_f32::blocked:abcd::f0 diff_undef::undef::: diff_wei_undef::undef:::,,,2x16x5x5:1x16x1x1,"
         "7.80396",
         "prelu --dir=FWD_D --sdt=f32 --stag=acdb:abcd --dtag=acdb 2x16x5x5:1x16x1x1"},
        {"onednn_verbose,exec,cpu,binary,jit:uni,undef,src_f32::blocked:acdb::f0 "
         "src_f32::blocked:abcd::f0 dst_f32::blocked:acdb::f0,,alg:binary_mul,2x16x5x5:1x16x1x1,11.2998",
         "binary --alg=mul --sdt=f32 --stag=acdb:abcd --dtag=acdb 2x16x5x5:1x16x1x1"},
        {"onednn_verbose,v1,primitive,create:dispatch,cpu,reorder,portable,undef,src:f32::blocked:ab::f0 "
         "dst:f64::blocked:ba::f0,,,9x31,step 1 (transpose): no kernels of f64",
         "reorder --ddt=f64 --dtag=ba 9x31"},
        {"12:04:11 [worker 3] dnnl_verbose,v1,1732291200123.456,primitive,create:cache_miss,cpu,eltwise,x,"
         "forward_inference,src:f32::blocked:ab::f0 dst:bf16::blocked:ba:1x7:f0,,alg:eltwise_relu alpha:0.5 beta:0,"
         "2x3,0.01\r",
         "eltwise --dir=FWD_I --alg=relu --alpha=0.5 --ddt=bf16 --dstrides=1x7 2x3"},
    };
    for (const Spelled& row : rows) expect_same(row);
}

TEST(ProblemLine, says_what_is_wrong_in_the_words_of_others) {
    const std::pair<const char*, const char*> cases[] = {
        {"--matmul", "no dims"},
        {"--graph l1t3mb2", "'--graph' belongs to a primitive that is not built"},
        {"--matmull 2x3:3x4", "did you mean --matmul?"},
        {"--matmul --stga=ab 2x3:3x4", "did you mean --stag?"},
        {"--matmul --dt=f32,bf16 2x3:3x4", "2 values; a line is one problem"},
        {"--matmul --dt=f32:f32 2x3:3x4", "neither one type nor those of src, weights and dst"},
        {"--matmul 2x3:3x4 4x3:3x2", "a line is one problem"},
        {"--matmul --engine=fpga 2x3:3x4", "'fpga' is no engine; there are cpu, gpu and gpu:INDEX"},
        {"--matmul --batch=shapes 2x3:3x4", "-f shapes"},
        {"--matmul --axis=1 2x3:3x4", "--axis belongs to --shuffle --concat"},
        {"--matmul --attr-scales=wei:per_row 2x3:3x4", "'per_row' of wei is no mask"},
        {"--matmul --attr-scales=wei:per_dim_2 2x3:3x4", "there are 2 dims"},
        {"--matmul --attr-post-ops=relu:0:0:2 2x3:3x4", "a scale of 2 behind a function"},
        {"--binary --alg=add --sdt=f32:f32:f32 2x3:2x3", "3 entries for 2 sources"},
        {"--ip mb2oc3", "names no ic"},
        {"--ip ic3ocx", "has no number"},
        {"--ip ic3oc4kh3", "'kh' is none of"},
        {"onednn_verbose,v1,info,cpu,runtime:OpenMP,nthr:2", "tells of no problem"},
        {"onednn_verbose,v1,primitive,create:dispatch,reorder,the only post-op is sum,x.cpp:1", "tells of no problem"},
        {"onednn_verbose,v1,primitive,exec,cpu,matmul", "a verbose line of 6 fields"},
        {"onednn_verbose,v1,primitive,exec,cpu,gemm,x,undef,,,,1,1", "'gemm' in a verbose line"},
        {"--rnn l1t3mb2", "'l1t3mb2' names no sic"},
        {"--rnn l1t3mb2sic4oc5", "'oc5' is none of l, t, mb, sic, slc, dhc, dic"},
        {"--rnn --cfg=u8 l1t3sic4", "'u8' is none of f32, bf16"},
        {"onednn_verbose,v1,primitive,exec,cpu,rnn,x,forward_training,src:f32::blocked:abc::f0,,,l1t2mb2sic4,1",
         "'src' is none of src_layer"},
        {"onednn_verbose,v1,primitive,exec,cpu,sum,x,undef,src:f32::csr:::f0,,,2x3,1", "no csr"},
        {"onednn_verbose,v1,primitive,exec,cpu,sum,x,undef,src:f33::blocked:ab::f0,,,2x3,1", "is no descriptor"},
        {"onednn_verbose,v1,primitive,exec,cpu,sum,x,undef,src:f32::blocked:aB16b:64x32:f0,,,2x3,1", "plain layouts"},
        {"onednn_verbose,v1,primitive,exec,cpu,sum,x,undef,src:f32::blocked:ab::f0,attr-magic:1,,2x3,1", "attr-magic"},
        {"onednn_verbose,v1,primitive,exec,cpu,matmul,x,undef,src:f32::blocked:ab::f0,,,*x3:3x4,1", "open dims"},
    };
    for (const auto& [text, part] : cases) {
        const auto line = parse_problem_line(text);
        ASSERT_FALSE(line) << text;
        EXPECT_NE(line.error().reason.find(part), std::string::npos) << text << ": " << line.error().reason;
    }
}

// Cut, changed and doubled lines are read or refused with a sentence.
TEST(ProblemLine, changed_words_of_others_are_read_or_refused) {
    std::mt19937 random(1);
    const std::string seeds[] = {
        "--matmul --dt=u8:s8:f32 --stag=ab --wtag=any --bia-dt=f32 --bia_mask=2 --runtime_dims_masks=1:2 "
        "--attr-scales=wei:per_oc:f32:2x1+dst:per_dim_01 --attr-post-ops=sum:1:2:s8+relu:1:2:1+add:f32:per_oc:ab "
        "--attr-dropout=0.5:7:ab --attr-rounding-mode=dst:stochastic:3 16x32:32x64_nname",
        "--ip --dir=BWD_WB --stag=abx --wtag=any mb2ic16id3ih5iw7oc32n\"name\"",
        "--resampling --alg=linear mb2ic16_ih5oh10_iw5ow10",
        "onednn_verbose,v1,17.5,primitive,exec,cpu,matmul,brg,undef,src:u8::blocked:ab::f0 wei:s8:a:blocked:ab:9x1:f0 "
        "bia:f32::blocked:ab::f0_mask2 dst:f32:p:blocked:aB16b::f3:s8m1:zpm2,attr-scales:src0:0:f32+wei:2:f32:4x1 "
        "attr-oscale:2:* attr-post-ops:eltwise_relu:0.5+binary_add:f32:2,runtime_dims_masks:1:0,16x32:32x64,0.01",
        "onednn_verbose,exec,cpu,prelu,jit_uni,backward,data_f32::blocked:acdb::f0 wei_f8_e5m2::blocked:abcd:f0 "
        "diff_undef::undef:::,,alg:eltwise_relu alpha:1 axis:1,2x16x5x5:1x16x1x1,22.2",
    };
    int read = 0;
    for (int round = 0; round < 40'000; ++round) {
        std::string text = seeds[size_t(round) % std::size(seeds)];
        for (int changes = int(random() % 3); changes >= 0 && !text.empty(); --changes) {
            const size_t at = random() % text.size(), length = 1 + random() % 12;
            switch (random() % 4) {
            case 0:
                text[at] = ":,_x+=- *0123456789abnAB"[random() % 24];
                break;
            case 1:
                text.erase(at, length);
                break;
            case 2:
                text.insert(at, text.substr(at, length));
                break;
            default:
                if (random() % 4 == 0) text.resize(at);
            }
        }
        const auto line = parse_problem_line(text);
        if (!line) {
            ASSERT_FALSE(line.error().reason.empty()) << text;
            continue;
        }
        ++read;
        ASSERT_TRUE(parse_problem_line(to_string(*line))) << text << " -> " << to_string(*line);
    }
    EXPECT_GT(read, 2'000); // else the changes are too wild to reach what stands later
}

TEST(Nearest, finds_slips_of_the_fingers) {
    EXPECT_EQ(edit_distance("", "abc"), 3u);
    EXPECT_EQ(edit_distance("kitten", "sitting"), 3u);
    EXPECT_EQ(edit_distance("--stga", "--stag"), 1u); // neighbours exchanged
    EXPECT_EQ(edit_distance("abc", "abc"), 0u);
    const std::vector<std::string_view> known = {"--stag", "--sdt", "--dtag", "--attr-scales", "--attr-post-ops"};
    EXPECT_EQ(nearest("--stga", known), "--stag");
    EXPECT_EQ(nearest("--attr-scale", known), "--attr-scales");
    EXPECT_EQ(nearest("--attr-post", known), "--attr-post-ops"); // the beginning of one
    EXPECT_EQ(nearest("--frobnicate", known), "");
    EXPECT_EQ(nearest("", known), "");
    EXPECT_EQ(did_you_mean("--std", known), "; did you mean --sdt?");
    EXPECT_EQ(did_you_mean("--nothing-like-it", known), "");
}

TEST(ProblemLine, expands_tags) {
    // covers: TAG-10
    EXPECT_EQ(expand_tag("abx", 1), "a");
    EXPECT_EQ(expand_tag("abx", 5), "abcde");
    EXPECT_EQ(expand_tag("axb", 4), "acdb");
    EXPECT_EQ(expand_tag("aBx16b", 5), "aBcde16b");
    EXPECT_EQ(expand_tag("x", 1), "x");
    EXPECT_EQ(expand_tag("nChw16c", 4), "nChw16c");
}

// A buffer notices a write on either side of it.
TEST(GuardedBuffer, notices_neighbours) {
    using Placement = GuardedBuffer::Placement;
    for (const Placement placement : {Placement::end_at_guard, Placement::start_at_guard, Placement::aligned})
        for (const size_t size : {size_t(0), size_t(1), size_t(100), size_t(4096), size_t(5) << 20}) {
            const auto check = [&](const char* how) {
                SCOPED_TRACE(testing::Message() << how << ", " << size << " bytes, placement " << int(placement));
                GuardedBuffer buffer(size, placement);
                std::fill(buffer.begin(), buffer.end(), uint8_t(7));
                EXPECT_TRUE(buffer.intact());
                const GuardedBuffer copy = buffer;
                EXPECT_TRUE(copy == buffer);
                const auto notices = [&](uint8_t* at) {
                    *at ^= 1;
                    EXPECT_FALSE(buffer.intact());
                    *at ^= 1;
                    EXPECT_TRUE(buffer.intact());
                };
                const bool start = placement == Placement::start_at_guard, end = placement == Placement::end_at_guard;
                if (!start) notices(buffer.begin() - 1);
                if (!end) notices(buffer.end());
                const bool aligned = reinterpret_cast<uintptr_t>(buffer.begin()) % 64 == 0;
                EXPECT_TRUE(aligned || placement != Placement::aligned);
                uint8_t* const beyond = start ? buffer.begin() - 1 : buffer.end();
                if (start || end) {
                    EXPECT_DEATH(*beyond = 1, "");
                    EXPECT_DEATH(*const_cast<volatile uint8_t*>(beyond), "");
                }
            };
            check("new pages");
            check("used pages");
        }
}

// The comparison finds one wrong element, one wrong byte of padding, and tells NaN from NaN only when asked.
TEST(Compare, finds_every_kind_of_difference) {
    const int64_t dims[] = {2, 3};
    const auto md = make_desc_with_tag(dims, DataType::f32, "aB4b");
    ASSERT_TRUE(md);
    std::vector<float> a(8, 1.f), b(8, 1.f);
    const auto compared = [&](bool exact_nan) {
        return compare(*md, reinterpret_cast<uint8_t*>(a.data()), reinterpret_cast<uint8_t*>(b.data()), 32, exact_nan);
    };
    EXPECT_TRUE(compared(true));
    a[5] = 2.f; // element (1,1)
    ASSERT_FALSE(compared(false));
    EXPECT_NE(compared(false).error().reason.find("element (1,1)"), std::string::npos);
    a[5] = 1.f;
    a[7] = 0.f; // padding
    ASSERT_FALSE(compared(false));
    EXPECT_NE(compared(false).error().reason.find("outside of the elements"), std::string::npos);
    a[7] = 1.f;
    const uint32_t nan_bits[] = {0x7fc00000, 0xffc00001};
    std::memcpy(&a[0], &nan_bits[0], 4);
    std::memcpy(&b[0], &nan_bits[1], 4);
    EXPECT_TRUE(compared(false));
    EXPECT_FALSE(compared(true));
    b[0] = 1.f;
    EXPECT_FALSE(compared(false));
}

// An oracle is asked again only about the same layouts, bytes and places.
TEST(Kept, tells_other_bytes_and_layouts) {
    using Placement = GuardedBuffer::Placement;
    const auto problem = [](const char* text) { return problem_of(*parse_problem_line(text)).value(); };
    const auto buffers = [](uint8_t first, Placement placement = Placement::aligned) {
        std::vector<GuardedBuffer> made;
        for (const uint8_t value : {first, uint8_t(2)}) {
            GuardedBuffer buffer(24, placement);
            std::fill(buffer.begin(), buffer.end(), value);
            made.push_back(buffer);
        }
        return made;
    };
    const Oracle::BufferOf buffer_of = {{arg::src, 0}, {arg::dst, 1}};
    const Problem ab = problem("reorder --sdt=s8 --stag=ab --dtag=ab 4x6");
    Kept kept;
    const Oracle& first = kept.oracle(ab, buffer_of, buffers(1));
    EXPECT_EQ(&kept.oracle(ab, buffer_of, buffers(1)), &first);
    EXPECT_EQ(first.expected(arg::dst), std::vector<uint8_t>(24, 1));
    const Oracle& other_bytes = kept.oracle(ab, buffer_of, buffers(3));
    EXPECT_EQ(other_bytes.expected(arg::dst), std::vector<uint8_t>(24, 3));
    EXPECT_NE(&kept.oracle(ab, buffer_of, buffers(1, Placement::end_at_guard)), &first);
    EXPECT_NE(&kept.oracle(problem("reorder --sdt=s8 --stag=ab --dtag=ba 4x6"), buffer_of, buffers(1)), &first);
    EXPECT_NE(&kept.oracle(problem("reorder --sdt=s8 --stag=ab --dtag=ab --attr-scales=src:0 4x6"),
                           {{arg::src, 0}, {arg::dst, 1}, {arg::scales | arg::src, 1}}, buffers(1)),
              &first);
    EXPECT_EQ(&kept.oracle(ab, buffer_of, buffers(1)), &first);
}

// Kept data are those of their descriptor, seed and size.
TEST(Kept, writes_what_is_asked_for) {
    const int64_t dims[] = {3, 5};
    Kept kept;
    for (int round = 0; round < 2; ++round)
        for (const char* tag : {"ab", "ba", "aB4b"})
            for (const uint64_t seed : {1, 2})
                for (const bool zero_padding : {false, true}) {
                    const auto md = make_desc_with_tag(dims, DataType::f32, tag);
                    ASSERT_TRUE(md);
                    const HostileFill fill{*md, size_of(*md), seed, Values::hostile, zero_padding};
                    std::vector<uint8_t> right(fill.bytes), got(fill.bytes);
                    fill.write(right.data());
                    kept.write(got.data(), fill);
                    EXPECT_EQ(got, right) << tag;
                }
}

// A refusal that was not asked for is no pass, and one that does not come neither: see tests/tools/cli_test.sh. Here:
// the reason of the library arrives whole.
TEST(Experiment, carries_reasons) {
    const auto line = parse_problem_line("reorder --stag=ab --dtag=any 3x4");
    ASSERT_TRUE(line);
    const auto experiment = Experiment::make(*line, Experiment::Data::hostile);
    ASSERT_FALSE(experiment);
    EXPECT_EQ(experiment.error().status, Status::invalid_arguments);
    EXPECT_NE(experiment.error().reason.find("any"), std::string::npos);
}

TEST(Experiment, counts_bytes) {
    const auto line = parse_problem_line("reorder --sdt=f32 --ddt=s8 --stag=abcd --dtag=aBcd16b 2x17x5x5");
    auto experiment = Experiment::make(*line, Experiment::Data::friendly);
    ASSERT_TRUE(experiment) << experiment.error().reason;
    EXPECT_EQ(experiment->bytes(), 2 * 17 * 25 * 4 + 2 * 32 * 25); // read; written with padding
    EXPECT_TRUE(experiment->check());
}

} // namespace
} // namespace tessera
